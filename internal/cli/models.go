package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
)

type modelsOptions struct {
	*app
	begin string
	json  bool
}

func newModels(a *app) *cobra.Command {
	o := &modelsOptions{app: a}
	c := &cobra.Command{
		Use:   "models [NAME]",
		Short: "List what is known of models",
		Long: `List the models of the catalogue, or those whose name begins with a word: windows, prices, and whether they read images and pages. A model that is not listed is taken for the longest name that its own begins with.

Off a terminal each line has, separated by tabs: name, provider, API, window and most output in tokens, price of a million tokens of input and of output in dollars, whether it reads images.`,
		Example: `  stemma models
  stemma models claude
  stemma models --json | jq -r '.[] | select(.window >= 1000000) | .id'`,
		ValidArgsFunction: a.completeModel,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.begin = args[0]
			}
			return o.run()
		},
	}
	jsonFlag(c, &o.json)
	return c
}

type modelJSON struct {
	ID             string  `json:"id"`
	Provider       string  `json:"provider"`
	Wire           string  `json:"wire"`
	Window         int     `json:"window"`
	MaxOutput      int     `json:"max_output,omitempty"`
	InputPrice     float64 `json:"input_price"`  // dollars for a million tokens
	OutputPrice    float64 `json:"output_price"` // the same
	SeesImages     bool    `json:"sees_images"`
	ReadsPages     bool    `json:"reads_pages"`
	ChecksThinking bool    `json:"checks_thinking"`
}

func newModelJSON(m catalog.Model) modelJSON {
	return modelJSON{m.ID, m.Provider, m.Wire, m.Window, m.MaxOutput, m.Price.Input, m.Price.Output, m.Sees(), m.ReadsPages(), m.ChecksThinking}
}

func (o *modelsOptions) run() error {
	all, err := o.catalog()
	if err != nil {
		return err
	}
	var models []catalog.Model
	for _, m := range all.Models() {
		if strings.HasPrefix(m.ID, o.begin) {
			models = append(models, m)
		}
	}
	if len(models) == 0 {
		m, _, ok := all.Find(o.begin)
		if !ok {
			return fmt.Errorf("model %s: %w; stemma models lists those that are known, and models.toml beside the settings adds yours", o.begin, history.ErrNotFound)
		}
		o.err.printf("stemma: %s is not listed; it is taken for %s\n", o.begin, m.ID)
		models = append(models, m)
	}
	if o.json {
		return printArray(o.app, mapped(values(models), newModelJSON))
	}
	t := o.table(column{title: "MODEL", flexible: true}, column{title: "PROVIDER", wide: true}, column{title: "API", wide: true}, column{title: "WINDOW", right: true}, column{title: "OUTPUT", right: true}, column{title: "$/M IN", right: true}, column{title: "$/M OUT", right: true}, column{title: "IMAGES"})
	for _, m := range models {
		sees := yesNo(m.Sees())
		if m.ReadsPages() {
			sees = "yes, and pages"
		}
		t.row(
			cell{value: m.ID, style: bold},
			cell{value: m.Provider},
			cell{value: m.Wire},
			number(m.Window),
			number(m.MaxOutput),
			price(m.Price.Input),
			price(m.Price.Output),
			cell{value: yesNo(m.Sees()), shown: sees},
		)
	}
	t.print()
	return nil
}

// price is a cell with a price; it is empty where none is known.
func price(dollars float64) cell {
	if dollars == 0 {
		return cell{}
	}
	return cell{value: strconv.FormatFloat(dollars, 'f', -1, 64), shown: fmt.Sprintf("%.2f", dollars)}
}
