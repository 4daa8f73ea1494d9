package historytest

import (
	"bytes"

	"github.com/stemma-history/stemma/message"
)

func blobTests() []test {
	return []test{{"blobs are stored once and come back byte for byte", blobs}}
}

func blobs(f fixture) {
	for _, data := range [][]byte{{}, []byte("small"), bytes.Repeat([]byte("compressible "), 10_000), bytes.Repeat([]byte{0, 255, 7}, 1<<20)} {
		b := message.NewBlob("application/x-test", bytes.Clone(data))
		f.must(f.PutBlob(f.Context(), b))
		f.must(f.PutBlob(f.Context(), b))
		b.Data = append(b.Data, 'x')
		if f.PutBlob(f.Context(), b) == nil {
			f.Error("a blob under another's name was stored")
		}
		clear(b.Data)
		got, err := f.Blob(f.Context(), b.Hash)
		f.must(err)
		if !bytes.Equal(got.Data, data) || got.Hash != b.Hash || got.Type != b.Type {
			f.Errorf("%d bytes of %s came back, want %d", len(got.Data), got.Type, len(data))
		}
	}
}
