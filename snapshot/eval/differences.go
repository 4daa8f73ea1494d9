package eval

import "slices"

// differences returns the fewest single changes that make read of truth: what
// has to be told of a misreading.
func differences(truth, read string) []Confusion {
	a, b := []rune(truth), []rune(read)
	// cost[i][j] is the number of changes that make b[:j] of a[:i].
	cost := make([][]int, len(a)+1)
	for i := range cost {
		cost[i] = make([]int, len(b)+1)
		for j := range cost[i] {
			switch {
			case i == 0:
				cost[i][j] = j
			case j == 0:
				cost[i][j] = i
			case a[i-1] == b[j-1]:
				cost[i][j] = cost[i-1][j-1]
			default:
				cost[i][j] = 1 + min(cost[i-1][j-1], cost[i-1][j], cost[i][j-1])
			}
		}
	}
	var changes []Confusion
	for i, j := len(a), len(b); i > 0 || j > 0; {
		switch {
		case i > 0 && j > 0 && a[i-1] == b[j-1]:
			i, j = i-1, j-1
		case i > 0 && j > 0 && cost[i][j] == 1+cost[i-1][j-1]:
			i, j = i-1, j-1
			changes = append(changes, Confusion{Truth: string(a[i]), Read: string(b[j])})
		case i > 0 && cost[i][j] == 1+cost[i-1][j]:
			i--
			changes = append(changes, Confusion{Truth: string(a[i])})
		default:
			j--
			changes = append(changes, Confusion{Read: string(b[j])})
		}
	}
	slices.Reverse(changes)
	return changes
}
