package ollama

import (
	"strconv"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// translate returns a Chat Completions body in Ollama's form, without its closing
// brace. Texts keep their bytes, so that what a prompt begins with stays the
// same from request to request. window is the context in tokens that the model
// is loaded with; 0 leaves it to the server, whose default depends on memory.
func translate(body []byte, window int) ([]byte, error) {
	t := translator{names: map[string]string{}}
	t.out = append(t.out, '{')
	var maxTokens []byte
	err := rawjson.Members(body, func(key string, v []byte) error {
		switch key {
		case "model", "tools":
			t.member(key, v)
		case "max_tokens":
			maxTokens = v
		case "messages":
			t.member(key, nil)
			return t.messages(v)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.member("options", nil)
	t.out = append(t.out, '{')
	if window > 0 {
		t.member("num_ctx", strconv.AppendInt(nil, int64(window), 10))
	}
	if maxTokens != nil {
		t.member("num_predict", maxTokens)
	}
	return append(t.out, '}'), nil
}

type translator struct {
	out   []byte
	names map[string]string // of tools, by the id of a call
}

func (t *translator) comma() {
	switch t.out[len(t.out)-1] {
	case '{', '[':
	default:
		t.out = append(t.out, ',')
	}
}

func (t *translator) member(name string, json []byte) {
	t.comma()
	t.out = append(rawjson.AppendString(t.out, name), ':')
	t.out = append(t.out, json...)
}

func (t *translator) text(name, text string) { t.member(name, rawjson.AppendString(nil, text)) }

func (t *translator) messages(list []byte) error {
	t.out = append(t.out, '[')
	err := rawjson.Elements(list, func(m []byte) error {
		t.comma()
		t.out = append(t.out, '{')
		err := rawjson.Members(m, t.message)
		t.out = append(t.out, '}')
		return err
	})
	t.out = append(t.out, ']')
	return err
}

// message writes one member of a message.
func (t *translator) message(key string, v []byte) error {
	switch key {
	case "content":
		return t.content(v)
	case "tool_calls":
		t.member(key, []byte("["))
		err := rawjson.Elements(v, t.call)
		t.out = append(t.out, ']')
		return err
	case "tool_call_id":
		t.member(key, v)
		if name := t.names[rawjson.Text(v)]; name != "" {
			t.text("tool_name", name)
		}
	case "refusal":
	default: // role, thinking
		t.member(key, v)
	}
	return nil
}

// content writes a text, and the images beside it.
func (t *translator) content(v []byte) error {
	switch v[0] {
	case '"':
		t.member("content", v)
		return nil
	case '[':
	default:
		t.text("content", "")
		return nil
	}
	var texts []string
	var images []byte
	err := rawjson.Elements(v, func(part []byte) error {
		url := rawjson.Text(rawjson.Get(rawjson.Get(part, "image_url"), "url"))
		_, data, inline := strings.Cut(url, ";base64,")
		switch {
		case inline:
			images = append(append(images, ','), rawjson.AppendString(nil, data)...)
		case url != "":
			texts = append(texts, "[an image at "+url+"]")
		case rawjson.Get(part, "file") != nil:
			texts = append(texts, "[a document: "+rawjson.Text(rawjson.Get(rawjson.Get(part, "file"), "filename"))+"]")
		default:
			texts = append(texts, rawjson.Text(rawjson.Get(part, "text")))
		}
		return nil
	})
	t.text("content", strings.Join(texts, "\n\n"))
	if len(images) > 0 {
		images[0] = '['
		t.member("images", append(images, ']'))
	}
	return err
}

// call writes a call. Its arguments are an object here, not a string.
func (t *translator) call(v []byte) error {
	id, function := rawjson.Get(v, "id"), rawjson.Get(v, "function")
	name := rawjson.Text(rawjson.Get(function, "name"))
	t.names[rawjson.Text(id)] = name
	t.comma()
	t.out = append(t.out, '{')
	t.member("id", id)
	t.member("function", []byte("{"))
	t.text("name", name)
	t.member("arguments", []byte(rawjson.Text(rawjson.Get(function, "arguments"))))
	t.out = append(t.out, "}}"...)
	return nil
}
