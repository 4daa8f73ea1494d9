// Command gen makes the vocabulary of package o200k from a module of Go that has
// it as a table, which takes 8 MB of a program:
//
//	go generate ./provider/providertest/internal/o200k
//
// The same table gives the same file, byte for byte. A test compares it with what
// OpenAI publishes.
package main

import (
	"log"
	"os"

	"github.com/klauspost/compress/zstd"
	"github.com/tiktoken-go/tokenizer/codec"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: gen FILE")
	}
	if err := write(os.Args[1]); err != nil {
		log.Fatal("gen: ", err)
	}
}

// write writes the tokens before the two marks of a model's own, 199,999 and
// 200,018.
func write(name string) error {
	table := codec.NewO200kBase()
	var data []byte
	for rank := range uint(199_998) {
		token, err := table.Decode([]uint{rank})
		if err != nil {
			return err
		}
		data = append(data, byte(len(token))) // at most 128
		data = append(data, token...)
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	return os.WriteFile(name, w.EncodeAll(data, nil), 0o644)
}
