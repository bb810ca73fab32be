// Writes lines of standard input as records with kafkajs: load.js write HOST:PORT,... TOPIC COMPRESSION ACKS
// compat/README.md describes it. kafkajs reads by consumer groups only, so it has no `read`.

const readline = require('node:readline')
const { CompressionTypes, Kafka, logLevel } = require('kafkajs')
const { version } = require('kafkajs/package.json')

const BATCH = 500
const RETRY = { retries: 60, initialRetryTime: 100, maxRetryTime: 2000 }
const CODECS = { none: CompressionTypes.None, gzip: CompressionTypes.GZIP }

async function write(servers, topic, compression, acks) {
  const kafka = new Kafka({ clientId: 'load', brokers: servers.split(','), logLevel: logLevel.NOTHING, retry: RETRY })
  const all = acks === 'all'
  const admin = kafka.admin()
  await admin.connect()
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
  const partitions = topics[0].partitions.length
  await admin.disconnect()
  const producer = kafka.producer({ idempotent: all, retry: RETRY })
  await producer.connect()
  const failed = []
  // One partition in each call: FINDINGS.md says what kafkajs loses otherwise.
  async function send(messages) {
    try {
      await producer.send({ topic, acks: all ? -1 : Number(acks), compression: CODECS[compression], messages })
    } catch (error) {
      console.error(String(error))
      failed.push(...messages.map(({ key }) => key))
    }
  }
  let messages = []
  let partition = 0
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const tab = line.indexOf('\t')
    messages.push({ partition, key: line.slice(0, tab), value: line.slice(tab + 1) })
    if (messages.length === BATCH) {
      await send(messages)
      messages = []
      partition = (partition + 1) % partitions
    }
  }
  if (messages.length) await send(messages)
  await producer.disconnect()
  console.log(JSON.stringify({ client: `kafkajs ${version}`, failed }))
}

write(...process.argv.slice(3)).catch((error) => {
  console.error(error)
  process.exitCode = 1
})
