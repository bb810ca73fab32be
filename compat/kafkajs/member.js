// A member of a group with kafkajs: member.js HOST:PORT,... TOPIC GROUP; compat/README.md describes it.

const { Kafka, logLevel } = require('kafkajs')

// A consumer looks for its group's new coordinator only after it has failed: FINDINGS.md.
const RETRY = { retries: 2, initialRetryTime: 100, maxRetryTime: 1000 }

function say(what, more) {
  process.stdout.write(JSON.stringify({ at_ms: performance.timeOrigin + performance.now(), what, ...more }) + '\n')
}

async function main(servers, topic, groupId) {
  const kafka = new Kafka({ clientId: 'member', brokers: servers.split(','), logLevel: logLevel.NOTHING, retry: RETRY })
  const consumer = kafka.consumer({
    groupId,
    retry: RETRY,
    sessionTimeout: 6000,
    rebalanceTimeout: 10000,
    heartbeatInterval: 500,
    // It heartbeats between fetches only.
    maxWaitTimeInMs: 300,
  })
  let owned = []
  // It asks for all partitions anew in each rebalance.
  function release() {
    if (owned.length) say('revoked', { partitions: owned })
    owned = []
  }
  consumer.on(consumer.events.REBALANCING, release)
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    release()
    if (!payload.restart) console.error('ends for good:', payload.error)
  })
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    release()
    owned = payload.memberAssignment[topic] ?? []
    say('assigned', { partitions: owned })
  })
  process.on('SIGTERM', async () => {
    release()
    await consumer.disconnect()
  })
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch, isStale, resolveOffset, heartbeat }) => {
      if (isStale()) return
      for (const { offset, value } of batch.messages) {
        say('read', { partition: batch.partition, offset: Number(offset), value: Number(value) })
      }
      const offset = Number(batch.lastOffset()) + 1
      try {
        await consumer.commitOffsets([{ topic, partition: batch.partition, offset: String(offset) }])
      } catch (error) {
        // A rebalance: whoever owns the partition next reads this again.
        say('failed', { error: String(error) })
        throw error
      }
      // If the heartbeat fails, it goes on behind what it has resolved, whatever it has committed: FINDINGS.md.
      resolveOffset(batch.lastOffset())
      say('committed', { partition: batch.partition, offset })
      await heartbeat()
    },
  })
}

main(...process.argv.slice(2)).catch((error) => {
  console.error(error)
  process.exitCode = 1
})
