package export

import (
	"strings"
	"testing"
)

func TestAnswersAreRenderedAndHarmless(t *testing.T) {
	for in, want := range map[string][]string{
		"a **b** `c<d`":                {"<strong>b</strong>", "<code>c&lt;d</code>"},
		"```go\nf(<T>)\n```":           {`<code class="language-go">f(&lt;T&gt;)`},
		"```go onload=x\"><b>\nx\n```": {`<code class="language-go">x`},
		"| a |\n|--:|\n| 1 |":          {`<td align="right">1</td>`},
		"- [x] done":                   {`<input checked="" disabled="" type="checkbox"`},
		"3. third":                     {`<ol start="3">`},
		"a <b onclick=x>c</b>":         {"a &lt;b onclick=x&gt;c&lt;/b&gt;"},
		"<script>\nalert(1)\n</script>\n\n**after**": {"&lt;script&gt;", "<strong>after</strong>"},
		"<!-- open\n\n**after**":                     {"&lt;!-- open", "<strong>after</strong>"},
		"[x](javascript:alert(1))":                   {"<p>x</p>"},
		"[x](https://a.example/?b&c)":                {`<a href="https://a.example/?b&amp;c" rel="nofollow noreferrer noopener" target="_blank">x</a>`},
		"[here](#other) [file](a.go)":                {"<p>here file</p>"},
		"![alt](https://a.example/p.png)":            {`<a href="https://a.example/p.png"`, "[image: alt]"},
		"![alt](data:image/png;base64,AA)":           {"<p>[image: alt]</p>"},
		"[x]: https://a.example 'hidden'":            {"[x]: https://a.example hidden"},
		"\u202ereversed":                             {"[U+202E]reversed"},
		strings.Repeat("x <b>", maxProse):            {`<div class="plain">x &lt;b&gt;`},
	} {
		got := string(prose(in))
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%.80q became %.400s\nwant %s in it", in, got, w)
			}
		}
		for _, never := range []string{"<script", "<img", "<b>", "javascript:", "onclick=x>", "id="} {
			if strings.Contains(got, never) {
				t.Errorf("%.80q became %.400s\nwith %s in it", in, got, never)
			}
		}
	}
}
