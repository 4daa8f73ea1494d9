package transcript

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

func TestALongTextIsDecodedAsAnyOther(t *testing.T) {
	errSaid := errors.New("said")
	for name, decode := range map[string]func([]byte) (message.Message, error){
		"text": func(o []byte) (message.Message, error) { return message.Prompt(rawjson.Text(rawjson.Get(o, "t"))), nil },
		"result": func(o []byte) (message.Message, error) {
			return message.Results(message.ToolResult{Content: []message.Content{message.Image{}, message.Text{Text: rawjson.Text(rawjson.Get(o, "t"))}}}), nil
		},
		"part of a text": func(o []byte) (message.Message, error) {
			return message.Prompt("> " + rawjson.Text(rawjson.Get(o, "t"))), nil
		},
		"twice": func(o []byte) (message.Message, error) {
			m := message.Prompt(rawjson.Text(rawjson.Get(o, "t")))
			m.Parts = append(m.Parts, m.Parts[0])
			return m, nil
		},
		"not as text": func(o []byte) (message.Message, error) {
			return message.Message{Parts: []message.Part{message.Opaque{Raw: rawjson.Get(o, "t")}}}, nil
		},
		"an error": func([]byte) (message.Message, error) { return message.Message{}, errSaid },
	} {
		for _, object := range []string{
			`{"a":"short","t":"` + strings.Repeat(`long \"日本語\"\n\ud800`, 100) + `","b":["x"]}`,
			`{"t":"` + strings.Repeat("x", 1000) + `","b":"` + standIn + `"}`,
			`{"t":"short"}`,
		} {
			want, wantErr := decode([]byte(object))
			got, err := decodeLong([]byte(object), decode)
			if !errors.Is(err, wantErr) || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %.60s… is not decoded as it is alone: %v", name, object, err)
			}
		}
	}
}
