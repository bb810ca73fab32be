"""Transactions by kafka-python: `transactions.py BOOTSTRAP TOPIC`. Writes the numbers 0 to 3, and commits the odd ones.

Prints ``fenced`` if a second producer of the transactional id has fenced the first one, as it should.
"""

import sys

from kafka import KafkaProducer
from kafka.errors import KafkaError


def producer(bootstrap: str, transactional_id: str) -> KafkaProducer:
    made = KafkaProducer(bootstrap_servers=bootstrap, transactional_id=transactional_id)
    made.init_transactions()
    return made


def main(bootstrap: str, topic: str) -> None:
    writer = producer(bootstrap, topic)
    for number in range(4):
        writer.begin_transaction()
        writer.send(topic, str(number).encode())
        writer.flush()
        if number % 2:
            writer.commit_transaction()
        else:
            writer.abort_transaction()
    writer.begin_transaction()
    writer.send(topic, b"lost").get(30)
    following = producer(bootstrap, topic)
    following.close()
    try:
        writer.commit_transaction()
    except KafkaError:
        print("fenced")


if __name__ == "__main__":
    main(*sys.argv[1:])
