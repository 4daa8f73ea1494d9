package verdict

import "testing"

func TestPathsAreWrittenAsProvidersDo(t *testing.T) {
	body := Path{}
	for want, path := range map[string]Path{
		"":                                     body,
		"messages":                             body.Member("messages"),
		"messages[3].content[0].image_url.url": body.Item("messages", 3).Item("content", 0).Member("image_url").Member("url"),
	} {
		if got := path.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	message := body.Item("messages", 3)
	if message.Member("role"); message.String() != "messages[3]" {
		t.Errorf("a member changed the path of its object to %q", message)
	}
}
