// A member of a group with franz-go's kgo.
//
//	member HOST:PORT,... TOPIC GROUP classic|consumer [OUTPUT]
//
// With an output topic it copies what it reads in transactions, by GroupTransactSession. compat/README.md describes it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	session     = 6 * time.Second
	heartbeat   = 500 * time.Millisecond
	transaction = 10 * time.Second
	mostRecords = 100
)

type event struct {
	AtMs       float64  `json:"at_ms"`
	What       string   `json:"what"`
	Partitions *[]int32 `json:"partitions,omitempty"`
	Partition  *int32   `json:"partition,omitempty"`
	Offset     *int64   `json:"offset,omitempty"`
	Value      *int     `json:"value,omitempty"`
	Error      string   `json:"error,omitempty"`
}

// say prints an event in one write, so that those of callbacks stay whole.
func say(each event) {
	each.AtMs = float64(time.Now().UnixNano()) / 1e6
	line, err := json.Marshal(each)
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(append(line, '\n'))
}

// owns returns a callback that says what becomes of the topic's partitions.
func owns(what, topic string) func(context.Context, *kgo.Client, map[string][]int32) {
	return func(_ context.Context, _ *kgo.Client, partitions map[string][]int32) {
		if found := slices.Clone(partitions[topic]); len(found) > 0 {
			slices.Sort(found)
			say(event{What: what, Partitions: &found})
		}
	}
}

func options(servers, topic, group, protocol string) []kgo.Opt {
	found := []kgo.Opt{
		kgo.SeedBrokers(strings.Split(servers, ",")...),
		kgo.ConsumeTopics(topic),
		kgo.ConsumerGroup(group),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(),
		kgo.SessionTimeout(session),
		kgo.HeartbeatInterval(heartbeat),
		kgo.FetchMaxWait(200 * time.Millisecond),
		kgo.OnPartitionsAssigned(owns("assigned", topic)),
		kgo.OnPartitionsRevoked(owns("revoked", topic)),
		kgo.OnPartitionsLost(owns("revoked", topic)),
		kgo.BlockRebalanceOnPoll(),
	}
	if protocol == "consumer" {
		found = append(found, kgo.Balancers(kgo.StickyBalancer()), kgo.ServerSideBalancer())
	}
	return found
}

// take says what was read and returns the offsets behind it.
func take(fetches kgo.Fetches) map[int32]int64 {
	next := map[int32]int64{}
	fetches.EachRecord(func(record *kgo.Record) {
		value, err := strconv.Atoi(string(record.Value))
		if err != nil {
			panic(err)
		}
		say(event{What: "read", Partition: &record.Partition, Offset: &record.Offset, Value: &value})
		next[record.Partition] = record.Offset + 1
	})
	return next
}

func committed(next map[int32]int64) {
	for partition, offset := range next {
		say(event{What: "committed", Partition: &partition, Offset: &offset})
	}
}

// consume reads and commits until the context is over.
func consume(ctx context.Context, options []kgo.Opt) error {
	client, err := kgo.NewClient(options...)
	if err != nil {
		return err
	}
	defer client.CloseAllowingRebalance()
	for ctx.Err() == nil {
		fetches := client.PollRecords(ctx, mostRecords)
		if next := take(fetches); len(next) > 0 {
			if err := client.CommitRecords(context.Background(), fetches.Records()...); err != nil {
				// A rebalance: whoever owns the partitions next reads this again.
				say(event{What: "failed", Error: err.Error()})
			} else {
				committed(next)
			}
		}
		client.AllowRebalance()
	}
	return nil
}

// duplicate copies what it reads into another topic, in transactions that hold the offsets too.
func duplicate(ctx context.Context, options []kgo.Opt, output string) error {
	session, err := kgo.NewGroupTransactSession(append(
		options,
		kgo.TransactionalID(fmt.Sprintf("%s-%d", output, os.Getpid())),
		kgo.TransactionTimeout(transaction),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.RequireStableFetchOffsets(),
		kgo.DefaultProduceTopic(output),
	)...)
	if err != nil {
		return err
	}
	defer session.CloseAllowingRebalance()
	for ctx.Err() == nil {
		fetches := session.PollRecords(ctx, mostRecords)
		if fetches.NumRecords() > 0 {
			if err := transact(session, fetches); err != nil {
				return err
			}
		}
		session.AllowRebalance()
	}
	return nil
}

// transact copies what was read. Its error is the end of the session; an aborted transaction is none.
func transact(session *kgo.GroupTransactSession, fetches kgo.Fetches) error {
	if err := session.Begin(); err != nil {
		return err
	}
	next := take(fetches)
	fetches.EachRecord(func(record *kgo.Record) {
		session.Produce(context.Background(), &kgo.Record{Value: record.Value}, nil)
	})
	isCommitted, err := session.End(context.Background(), kgo.TryCommit)
	if err != nil {
		return err
	}
	if isCommitted {
		committed(next)
	} else {
		say(event{What: "failed", Error: "aborted"})
	}
	return nil
}

func main() {
	if len(os.Args) < 5 {
		fmt.Fprintln(os.Stderr, "member HOST:PORT,... TOPIC GROUP classic|consumer [OUTPUT]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	chosen := options(os.Args[1], os.Args[2], os.Args[3], os.Args[4])
	var err error
	if len(os.Args) > 5 {
		// A transaction that took too long was aborted by the coordinator, and the session is over: it begins anew.
		for err = duplicate(ctx, chosen, os.Args[5]); err != nil && ctx.Err() == nil; err = duplicate(ctx, chosen, os.Args[5]) {
			say(event{What: "failed", Error: err.Error()})
		}
	} else {
		err = consume(ctx, chosen)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
