package sqlite

import (
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/record"
	"github.com/stemma-history/stemma/message"
)

// bodies reads what every entry says, once where forks share it.
func (c *checker) bodies() error {
	return c.each(`
SELECT b.encoding, b.data, e.role, e.id, c.id FROM body b
JOIN entry e ON e.n = `+entryOfBody+` LEFT JOIN conversation c ON c.n = e.conversation ORDER BY b.n`,
		func(scan func(...any) error) error {
			var body stored
			var role message.Role
			var p history.Problem
			if err := scan(&body.encoding, &body.data, text(&role), idColumn{&p.Entry}, idColumn{&p.Conversation}); err != nil {
				return err
			}
			for _, err := range c.body(body, kindOf(role)) {
				if c.ctx.Err() != nil {
					return c.ctx.Err()
				}
				p.What, p.Advice = err.Error(), "restore the file from a backup, or import the conversation again; the rest can be read"
				if err := c.report(p); err != nil {
					return err
				}
			}
			return nil
		})
}

// body returns what is wrong with a body and the blobs it names.
func (c *checker) body(body stored, kind history.Kind) []error {
	data, err := body.decode()
	if err != nil {
		return []error{fmt.Errorf("its body is damaged: %w", err)}
	}
	var e history.Entry
	var missing []error
	want := func(hash message.Hash) {
		if err := c.hasBlob(hash); err != nil {
			missing = append(missing, err)
		}
	}
	err = record.Decode(&e, kind, data, func(hash message.Hash) ([]byte, error) {
		want(hash)
		return nil, nil
	})
	if err != nil {
		return append(missing, fmt.Errorf("its body is damaged: %w", err))
	}
	if e.Message != nil {
		for _, p := range e.Message.Parts {
			wantMedia(p, want)
		}
	}
	return missing
}

// wantMedia calls want with the blobs of images and documents.
func wantMedia(p message.Part, want func(message.Hash)) {
	switch p := p.(type) {
	case message.Image:
		if !p.Blob.IsZero() {
			want(p.Blob)
		}
	case message.Document:
		if !p.Blob.IsZero() {
			want(p.Blob)
		}
	case message.ToolResult:
		for _, content := range p.Content {
			wantMedia(content, want)
		}
	}
}

func (c *checker) hasBlob(hash message.Hash) error {
	var one int
	err := c.s.row(c.ctx, `SELECT 1 FROM blob WHERE hash = ?1`, []any{hash[:]}, &one)
	if err = orNotFound(err, "blob %v", hash); errors.Is(err, history.ErrNotFound) {
		return fmt.Errorf("what it names is missing: %w", err)
	}
	return err
}

// blobs checks that the bytes still have the hash they are named by.
func (c *checker) blobs() error {
	return c.each(`SELECT hash, size, encoding, data FROM blob`, func(scan func(...any) error) error {
		var hash message.Hash
		var size int
		var blob stored
		if err := scan(hashColumn{&hash}, &size, &blob.encoding, &blob.data); err != nil {
			return err
		}
		data, err := blob.decode()
		switch {
		case err != nil:
		case message.HashOf(data) != hash:
			err = errors.New("its bytes have another hash")
		case len(data) != size:
			err = fmt.Errorf("it says that it has %d bytes, and has %d", size, len(data))
		default:
			return nil
		}
		return c.report(history.Problem{
			What:   fmt.Sprintf("blob %v is damaged: %v", hash, err),
			Advice: "import what it came from again; entries that name it can be read without it",
		})
	})
}
