package sqlite

import (
	"context"

	"github.com/stemma-history/stemma/history/internal/record"
	"github.com/stemma-history/stemma/message"
)

// Blob implements [history.Blobs].
func (s *Store) Blob(ctx context.Context, hash message.Hash) (message.Blob, error) {
	b := message.Blob{Hash: hash}
	var data stored
	err := s.row(ctx, `SELECT type, encoding, data FROM blob WHERE hash = ?1`, []any{hash[:]}, text(&b.Type), &data.encoding, &data.data)
	if err == nil {
		b.Data, err = data.decode()
	}
	if err != nil {
		return message.Blob{}, s.failure(orNotFound(err, "blob %v", hash))
	}
	return b, nil
}

// PutBlob implements [history.Blobs].
func (s *Store) PutBlob(ctx context.Context, b message.Blob) error {
	blobs := []message.Blob{b}
	if err := record.CheckBlobs(blobs); err != nil {
		return err
	}
	rows, err := encodeBlobs(blobs)
	if err != nil {
		return err
	}
	return s.write(ctx, func(t *tx) error { return t.putBlobs(rows) })
}

// fetch returns a function that reads the bytes of blobs for a decoder.
func (s *Store) fetch(ctx context.Context) func(message.Hash) ([]byte, error) {
	return func(hash message.Hash) ([]byte, error) {
		b, err := s.Blob(ctx, hash)
		return b.Data, err
	}
}
