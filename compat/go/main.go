// What franz-go (kgo and kadm) sees of a cluster, as one JSON document: tour HOST:PORT TOPIC.
// The shape is that of every client's tour; compat/README.md has it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	partitions        = 3
	replicationFactor = 1
	timeout           = 30 * time.Second
)

type broker struct {
	ID   int32  `json:"id"`
	Host string `json:"host"`
	Port int32  `json:"port"`
}

type partition struct {
	Partition int32   `json:"partition"`
	Leader    int32   `json:"leader"`
	Replicas  []int32 `json:"replicas"`
	Isr       []int32 `json:"isr"`
}

type quorum struct {
	Leader int32   `json:"leader"`
	Voters []int32 `json:"voters"`
}

type seen struct {
	Client       string      `json:"client"`
	ClusterID    string      `json:"cluster_id"`
	Controller   int32       `json:"controller"`
	Brokers      []broker    `json:"brokers"`
	TopicsBefore []string    `json:"topics_before"`
	CreateAgain  int16       `json:"create_again"`
	Partitions   []partition `json:"partitions"`
	TopicsWith   []string    `json:"topics_with"`
	TopicsAfter  []string    `json:"topics_after"`
	Quorum       quorum      `json:"quorum"`
}

// clientVersion is the franz-go that was linked in.
func clientVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "franz-go"
	}
	for _, module := range info.Deps {
		if module.Path == "github.com/twmb/franz-go" {
			return "franz-go " + module.Version
		}
	}
	return "franz-go"
}

// errorCode is Kafka's number for an error that a broker answered, 0 for none, and -2 for any other failure.
func errorCode(err error) int16 {
	if err == nil {
		return 0
	}
	var answered *kerr.Error
	if errors.As(err, &answered) {
		return answered.Code
	}
	return -2
}

// describeQuorum asks with a plain request, for which kadm has no function.
func describeQuorum(ctx context.Context, client *kgo.Client) (quorum, error) {
	request := kmsg.NewDescribeQuorumRequest()
	topic := kmsg.NewDescribeQuorumRequestTopic()
	topic.Topic = "__cluster_metadata"
	topic.Partitions = append(topic.Partitions, kmsg.NewDescribeQuorumRequestTopicPartition())
	request.Topics = append(request.Topics, topic)
	response, err := request.RequestWith(ctx, client)
	if err != nil {
		return quorum{}, err
	}
	if err := kerr.ErrorForCode(response.ErrorCode); err != nil {
		return quorum{}, err
	}
	found := response.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(found.ErrorCode); err != nil {
		return quorum{}, err
	}
	told := quorum{Leader: found.LeaderID, Voters: []int32{}}
	for _, voter := range found.CurrentVoters {
		told.Voters = append(told.Voters, voter.ReplicaID)
	}
	return told, nil
}

// tour lists the cluster, then creates, describes and deletes the topic.
func tour(ctx context.Context, bootstrap, topic string) (*seen, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(bootstrap))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	// kadm answers listings from a cache that is seconds old, unless it is asked for authorised operations.
	ctx = kadm.WithAuthorizedOps(ctx)

	cluster, err := admin.ListTopics(ctx)
	if err != nil {
		return nil, fmt.Errorf("first listing: %w", err)
	}
	metadata, err := admin.BrokerMetadata(ctx)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	told := &seen{
		Client:       clientVersion(),
		ClusterID:    metadata.Cluster,
		Controller:   metadata.Controller,
		TopicsBefore: cluster.Names(),
		Partitions:   []partition{},
	}
	for _, node := range metadata.Brokers {
		told.Brokers = append(told.Brokers, broker{ID: node.NodeID, Host: node.Host, Port: node.Port})
	}
	if told.Quorum, err = describeQuorum(ctx, client); err != nil {
		return nil, fmt.Errorf("quorum: %w", err)
	}
	if _, err := admin.CreateTopic(ctx, partitions, replicationFactor, nil, topic); err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	_, err = admin.CreateTopic(ctx, partitions, replicationFactor, nil, topic)
	told.CreateAgain = errorCode(err)
	created, err := admin.ListTopics(ctx)
	if err != nil {
		return nil, fmt.Errorf("second listing: %w", err)
	}
	told.TopicsWith = created.Names()
	for _, detail := range created[topic].Partitions.Sorted() {
		told.Partitions = append(told.Partitions, partition{
			Partition: detail.Partition, Leader: detail.Leader, Replicas: detail.Replicas, Isr: detail.ISR,
		})
	}
	if _, err := admin.DeleteTopic(ctx, topic); err != nil {
		return nil, fmt.Errorf("delete: %w", err)
	}
	remaining, err := admin.ListTopics(ctx)
	if err != nil {
		return nil, fmt.Errorf("last listing: %w", err)
	}
	told.TopicsAfter = remaining.Names()
	return told, nil
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: tour HOST:PORT TOPIC")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	told, err := tour(ctx, os.Args[1], os.Args[2])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(told)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
