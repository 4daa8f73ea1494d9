package chatgpt

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/exportfile"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// decoder reads one message.
type decoder struct {
	*node
	files   *exportfile.Export
	problem func(what string)
}

func (d *decoder) message() message.Message {
	content, err := native.ReadObject(d.node.message.Raw("content"))
	if err != nil {
		d.problem(fmt.Sprintf("the content is not understood, it is kept as it stands: %v", err))
		return d.opaque()
	}
	switch role := d.node.message.Text("author", "role"); role {
	case "user":
		return d.user(content)
	case "assistant":
		return d.assistant(content)
	case "tool":
		return d.result(content)
	default: // the system's settings, what the person told of themselves
		if d.text(content) == "" && content.Text("content_type") == "text" {
			return message.Message{}
		}
		return d.opaque()
	}
}

// opaque keeps the whole message: no model gets it.
func (d *decoder) opaque() message.Message {
	return *transcript.Silent(tool, d.raw)
}

func (d *decoder) user(content native.Object) message.Message {
	d.call = ""
	if content.Text("content_type") == "user_editable_context" {
		return d.opaque()
	}
	m := message.Message{Role: message.User, Author: message.ByPerson, Parts: parts(d.content(content))}
	m.Parts = append(m.Parts, d.attachments(content)...)
	if d.node.message.Bool("metadata", "is_visually_hidden_from_conversation") {
		m.Author = message.ByHarness
	}
	return m
}

func (d *decoder) assistant(content native.Object) message.Message {
	m := message.Message{Role: message.Assistant, Author: message.ByModel, Model: d.node.message.Text("metadata", "model_slug"), Stop: d.stop()}
	d.call = ""
	switch recipient := d.node.message.Text("recipient"); {
	case recipient != "" && recipient != "all":
		d.call = d.id
		m.Stop = message.StopTools
		m.Parts = []message.Part{message.ToolCall{ID: d.id, Name: recipient, Arguments: arguments(d.text(content))}}
	case content.Text("content_type") == "thoughts":
		m.Parts = thoughts(content)
	default:
		m.Parts = parts(d.content(content))
	}
	return m
}

// result reads what a tool said. It answers the call above it; where there is
// none, as in files that the service searched by itself, it is a result all
// the same.
func (d *decoder) result(content native.Object) message.Message {
	r := message.ToolResult{CallID: d.call, Name: d.node.message.Text("author", "name"), Content: d.content(content)}
	if content.Text("content_type") == "system_error" || strings.HasPrefix(d.node.message.Text("metadata", "aggregate_result", "status"), "failed") {
		r.Outcome = message.Failed
	}
	return message.Results(r)
}

// arguments returns what the model wrote to a tool: an object, or text such as a
// program, which is put into one.
func arguments(text string) []byte {
	if value, rest, err := rawjson.First([]byte(text)); err == nil && len(rest) == 0 && value[0] == '{' {
		return value
	}
	return append(rawjson.AppendString([]byte(`{"input":`), text), '}')
}

func (d *decoder) stop() message.Stop {
	switch kind := d.node.message.Text("metadata", "finish_details", "type"); kind {
	case "stop":
		return message.StopEnd
	case "max_tokens":
		return message.StopLength
	case "interrupted":
		return message.StopAborted
	default:
		return message.Stop(kind)
	}
}

func thoughts(content native.Object) []message.Part {
	list, _ := content.Elements("thoughts") // checked as part of the message
	var all []message.Part
	for _, raw := range list {
		all = append(all, native.Thought(rawjson.Text(rawjson.Get(raw, "summary")), rawjson.Text(rawjson.Get(raw, "content")))...)
	}
	return all
}

// parts turns what may stand in a result into parts of a message.
func parts(content []message.Content) []message.Part {
	var all []message.Part
	for _, c := range content {
		all = append(all, c)
	}
	return all
}

// text returns the words of a content.
func (d *decoder) text(content native.Object) string {
	return message.ToolResult{Content: d.content(content)}.PlainText()
}

// content reads a content by its type. Types that this version does not know
// are kept as they stand.
func (d *decoder) content(content native.Object) []message.Content {
	var text string
	switch content.Text("content_type") {
	case "text", "multimodal_text":
		return d.parts(content)
	case "code", "execution_output", "system_error", "tether_quote":
		text = content.Text("text")
		if link := content.Text("url"); link != "" {
			text = strings.TrimSpace(content.Text("title")+"\n"+link) + "\n\n" + text
		}
	case "tether_browsing_display":
		text = content.Text("result")
	case "computer_output":
		if c := d.part(content.Raw("screenshot")); c != nil {
			return []message.Content{c}
		}
	default:
		return []message.Content{message.Opaque{Format: tool, Raw: d.node.message.Raw("content")}}
	}
	if text == "" {
		return nil
	}
	return []message.Content{message.Text{Text: text}}
}

// parts reads an array of texts and objects.
func (d *decoder) parts(content native.Object) []message.Content {
	list, _ := content.Elements("parts") // checked as part of the message
	var all []message.Content
	for _, raw := range list {
		if c := d.part(raw); c != nil {
			all = append(all, c)
		}
	}
	return all
}

func (d *decoder) part(raw []byte) message.Content {
	if rawjson.IsNull(raw) || string(raw) == `""` {
		return nil
	}
	if raw[0] == '"' {
		return message.Text{Text: rawjson.Text(raw)}
	}
	o, err := native.ReadObject(raw)
	if err == nil {
		switch o.Text("content_type") {
		case "image_asset_pointer":
			return d.image(o)
		case "audio_transcription":
			return message.Text{Text: o.Text("text")}
		}
		if text := o.Text("text"); text != "" && o.Raw("asset_pointer") == nil {
			return message.Text{Text: text}
		}
	}
	return message.Opaque{Format: tool, Raw: raw}
}

// image reads a pointer to a picture, which the ZIP may hold.
func (d *decoder) image(pointer native.Object) message.Content {
	link := pointer.Text("asset_pointer")
	img := message.Image{Media: message.Media{URL: link, Size: pointer.Int("size_bytes")}, WidthPx: int(pointer.Int("width")), HeightPx: int(pointer.Int("height"))}
	id := assetID(link)
	for _, a := range d.attached() {
		if a.Text("id") == id {
			img.Name, img.Type = a.Text("name"), mediaType(a)
		}
	}
	if data := d.asset(id); data != nil {
		return native.MediaBytes(img.Type, img.Name, data)
	}
	return img
}

// assetID returns the id in file-service://file-ID or sediment://file_ID, as
// names of files in the ZIP begin with it.
func assetID(link string) string {
	_, id, _ := strings.Cut(link, "://")
	id, _, _ = strings.Cut(id, "?")
	id, _, _ = strings.Cut(id, "#")
	return id
}

func (d *decoder) asset(id string) []byte {
	data, err := d.files.Asset(id)
	if err != nil {
		d.problem(fmt.Sprintf("a shared file is left out: %v", err))
	}
	return data
}

// attached returns what the message says of its files.
func (d *decoder) attached() []native.Object {
	metadata, err := native.ReadObject(d.node.message.Raw("metadata"))
	if err != nil {
		return nil
	}
	list, _ := metadata.Elements("attachments") // checked as part of the message
	var all []native.Object
	for _, raw := range list {
		if o, err := native.ReadObject(raw); err == nil {
			all = append(all, o)
		}
	}
	return all
}

func mediaType(attachment native.Object) string {
	if t := attachment.Text("mime_type"); t != "" {
		return t
	}
	return attachment.Text("mimeType")
}

// attachments returns the files that the content does not point to: those that
// are no pictures.
func (d *decoder) attachments(content native.Object) []message.Part {
	var all []message.Part
	for _, a := range d.attached() {
		id := a.Text("id")
		if id == "" || strings.Contains(string(content.Raw("parts")), id) {
			continue
		}
		if data := d.asset(id); data != nil {
			all = append(all, native.MediaBytes(mediaType(a), a.Text("name"), data))
			continue
		}
		media := message.Media{Type: mediaType(a), URL: "file-service://" + id, Name: a.Text("name"), Size: a.Int("size")}
		if strings.HasPrefix(media.Type, "image/") {
			all = append(all, message.Image{Media: media, WidthPx: int(a.Int("width")), HeightPx: int(a.Int("height"))})
			continue
		}
		all = append(all, message.Document{Media: media})
	}
	return all
}
