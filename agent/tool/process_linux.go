package tool

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
)

// groupsOf returns the process groups of a process, which leads one, and of all
// that descend from it: job control and setsid put them into groups of their own.
func groupsOf(pid int) []int {
	type process struct{ pid, group int }
	children := map[int][]process{}
	files, _ := os.ReadDir("/proc") // without it, the first group is all that is known
	for _, f := range files {
		id, err := strconv.Atoi(f.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + f.Name() + "/stat")
		if err != nil {
			continue // it has ended meanwhile
		}
		// The name stands in brackets, and may hold some: PID (NAME) STATE PARENT GROUP … (proc_pid_stat(5))
		var state string
		var parent, group int
		if _, err := fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent, &group); err == nil {
			children[parent] = append(children[parent], process{id, group})
		}
	}
	groups, found := []int{pid}, []int{pid}
	for len(found) > 0 {
		for _, p := range children[found[0]] {
			found = append(found, p.pid)
			if !slices.Contains(groups, p.group) && p.group != syscall.Getpgrp() {
				groups = append(groups, p.group)
			}
		}
		found = found[1:]
	}
	return groups
}
