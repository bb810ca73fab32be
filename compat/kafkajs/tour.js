// What kafkajs sees of a cluster, as one JSON document: tour.js HOST:PORT TOPIC.
// The shape is that of every client's tour; compat/README.md has it.

const { Kafka, logLevel } = require('kafkajs')
const { version } = require('kafkajs/package.json')

const PARTITIONS = 3

async function tour(bootstrap, topic) {
  const kafka = new Kafka({ clientId: 'tour', brokers: [bootstrap], logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  try {
    const cluster = await admin.describeCluster()
    const before = await admin.listTopics()
    const wanted = { topics: [{ topic, numPartitions: PARTITIONS, replicationFactor: 1 }] }
    await admin.createTopics(wanted)
    // false means TOPIC_ALREADY_EXISTS (36); every other error is thrown.
    const createdAgain = await admin.createTopics(wanted)
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    const withTopic = await admin.listTopics()
    await admin.deleteTopics({ topics: [topic] })
    const after = await admin.listTopics()
    return {
      client: `kafkajs ${version}`,
      cluster_id: cluster.clusterId,
      controller: cluster.controller,
      brokers: cluster.brokers.map(({ nodeId, host, port }) => ({ id: nodeId, host, port })),
      topics_before: before,
      create_again: createdAgain ? 0 : 36,
      partitions: topics[0].partitions
        .map(({ partitionId, leader, replicas, isr }) => ({ partition: partitionId, leader, replicas, isr }))
        .sort((left, right) => left.partition - right.partition),
      topics_with: withTopic,
      topics_after: after,
    }
  } finally {
    await admin.disconnect()
  }
}

tour(process.argv[2], process.argv[3]).then(
  (seen) => console.log(JSON.stringify(seen)),
  (error) => {
    console.error(error)
    process.exitCode = 1
  }
)
