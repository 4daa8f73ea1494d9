package snapshot_test

import (
	"context"
	"fmt"

	"github.com/stemma-history/stemma/snapshot"
)

func Example() {
	text := []snapshot.Segment{
		{Handle: "410", Text: "Which branch has the fix?\n"},
		{Handle: "411", Text: "\x1b[32mmain\x1b[0m has it:\n    commit 5ab6047\n"},
	}
	shape, _ := snapshot.ShapeNamed("8x16")
	for page, err := range snapshot.Render(context.Background(), text, shape, snapshot.Options{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("page %d of %d×%d pixels, entries %s to %s\n", page.Number, page.Width, page.Height, page.From, page.To)

		reading, err := snapshot.Read(page.PNG)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(reading.Text)
	}
	// Output:
	// page 1 of 1568×32 pixels, entries 410 to 411
	// Which branch has the fix?
	// main has it:
	//     commit 5ab6047
}
