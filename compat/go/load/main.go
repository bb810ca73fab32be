// Writes lines of standard input as records, or prints all records of a topic, with franz-go's kgo.
//
//	load write HOST:PORT,... TOPIC COMPRESSION ACKS
//	load read HOST:PORT,... TOPIC END,...
//
// compat/README.md describes both.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

const lineBytes = 1 << 20

var codecs = map[string]kgo.CompressionCodec{
	"none":   kgo.NoCompression(),
	"gzip":   kgo.GzipCompression(),
	"snappy": kgo.SnappyCompression(),
	"lz4":    kgo.Lz4Compression(),
	"zstd":   kgo.ZstdCompression(),
}

// clientVersion is the franz-go that was linked in.
func clientVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/twmb/franz-go" {
				return "franz-go " + module.Version
			}
		}
	}
	return "franz-go"
}

// write sends each line, a key, a tab and a value.
func write(servers, topic, compression, acks string) error {
	options := []kgo.Opt{
		kgo.SeedBrokers(strings.Split(servers, ",")...),
		kgo.DefaultProduceTopic(topic),
		kgo.ProducerBatchCompression(codecs[compression]),
	}
	switch acks {
	case "0":
		options = append(options, kgo.RequiredAcks(kgo.NoAck()), kgo.DisableIdempotentWrite())
	case "1":
		options = append(options, kgo.RequiredAcks(kgo.LeaderAck()), kgo.DisableIdempotentWrite())
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return err
	}
	defer client.Close()
	var lock sync.Mutex
	failed := []string{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, lineBytes), lineBytes)
	for lines.Scan() {
		key, value, _ := bytes.Cut(bytes.Clone(lines.Bytes()), []byte("\t"))
		client.Produce(context.Background(), &kgo.Record{Key: key, Value: value}, func(record *kgo.Record, err error) {
			if err != nil {
				lock.Lock()
				failed = append(failed, string(record.Key))
				lock.Unlock()
			}
		})
	}
	if err := client.Flush(context.Background()); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"client": clientVersion(), "failed": failed})
}

// read prints a line for each record: partition, offset, key, checksum of the value.
func read(servers, topic, ends string) error {
	left := map[int32]int64{}
	offsets := map[int32]kgo.Offset{}
	for number, text := range strings.Split(ends, ",") {
		end, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return err
		}
		if end > 0 {
			left[int32(number)] = end
			offsets[int32(number)] = kgo.NewOffset().At(0)
		}
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(servers, ",")...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: offsets}),
	)
	if err != nil {
		return err
	}
	defer client.Close()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for len(left) > 0 {
		fetches := client.PollFetches(context.Background())
		fetches.EachRecord(func(record *kgo.Record) {
			checksum := crc32.ChecksumIEEE(record.Value)
			fmt.Fprintf(out, "%d\t%d\t%s\t%08x\n", record.Partition, record.Offset, record.Key, checksum)
			if record.Offset+1 >= left[record.Partition] {
				delete(left, record.Partition)
			}
		})
	}
	return nil
}

func main() {
	var err error
	switch {
	case len(os.Args) == 6 && os.Args[1] == "write":
		err = write(os.Args[2], os.Args[3], os.Args[4], os.Args[5])
	case len(os.Args) == 5 && os.Args[1] == "read":
		err = read(os.Args[2], os.Args[3], os.Args[4])
	default:
		err = fmt.Errorf("usage: load write HOST:PORT TOPIC COMPRESSION ACKS | load read HOST:PORT TOPIC END,...")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
