"""Each client's producers and consumer in a process of their own, so that the relays of the network are not held up."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from compat.chaos.account import Place, Promised, Written
from compat.chaos.load import FLUSH_S, TICK_S, LibrdkafkaReading, Load, PythonReading, Reading, consume_to

READERS: Mapping[str, type[PythonReading] | type[LibrdkafkaReading]] = {
    "kafka-python": PythonReading,
    "librdkafka": LibrdkafkaReading,
}
BEGIN_S = 120.0
CONSUME_S = 180.0
ANSWER_S = FLUSH_S + CONSUME_S
Records = dict[Place, list[tuple[int, Written]]]


class Consumed(NamedTuple):
    """What became of a worker's consumer."""

    problems: list[str]
    """Where it did not come to the end, a line each."""
    records: Records
    given_up: int
    """Consumers whose client locked itself up; another one went on."""


class WorkerError(Exception):
    """A client's process failed; the text says how."""


class Worker:
    """One client: a producer for each topic, idempotent in the first of them, and a consumer of all partitions."""

    def __init__(
        self,
        client: str,
        servers: str,
        topics: Mapping[str, bool],
        partitions: int,
        *,
        rate: float,
        seed: int,
    ) -> None:
        """Starts the load. `topics` says for each whether its producer is idempotent; `rate` is each producer's."""
        context = multiprocessing.get_context("spawn")
        self.client = client
        self._pipe, theirs = context.Pipe()
        arguments = (theirs, client, servers, dict(topics), partitions, rate, seed)
        self._process = context.Process(target=_work, args=arguments, daemon=True)
        self._process.start()
        theirs.close()

    def until_under_way(self) -> None:
        """Returns when each producer was acknowledged something. Raises WorkerError.

        A client of kafka-python that meets a paused broker while it begins can take half a minute until it tries the
        next one: longer than a short run has faults.
        """
        self._ask("begin")

    def stop_producers(self) -> list[Promised]:
        """What they sent and were told, once everything has succeeded or failed. Raises WorkerError."""
        promised: list[Promised] = self._ask("stop")
        return promised

    def consume_to(self, ends: Mapping[Place, int]) -> Consumed:
        """Lets the consumer come to these offsets, and ends the process.

        Raises WorkerError.
        """
        found: Consumed = self._ask(dict(ends))
        self._process.join(ANSWER_S)
        return found

    def close(self) -> None:
        """Leaves no process behind."""
        self._process.kill()
        self._process.join()

    def _ask(self, question: object) -> Any:
        try:
            self._pipe.send(question)
            if not self._pipe.poll(ANSWER_S):
                raise WorkerError(f"{self.client} said nothing for {ANSWER_S:.0f} s")
            answer = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise WorkerError(f"{self.client}: the process has ended") from error
        if isinstance(answer, str):
            raise WorkerError(f"{self.client}: {answer}")
        return answer


def _work(
    pipe: Connection,
    client: str,
    servers: str,
    topics: Mapping[str, bool],
    partitions: int,
    rate: float,
    seed: int,
) -> None:
    """A worker's process."""
    places = [(topic, number) for topic in topics for number in range(partitions)]
    loads = [
        Load(client, servers, topic, partitions, is_idempotent=is_idempotent, rate=rate, seed=seed)
        for topic, is_idempotent in topics.items()
    ]
    reading: Reading = READERS[client](servers, places)
    for each in (*loads, reading):
        each.start()
    try:
        pipe.recv()
        pipe.send(_under_way(loads))
        pipe.recv()
        pipe.send([_stopped(load) for load in loads])
        problems = consume_to([reading], pipe.recv(), CONSUME_S)
        reading.stop()
        pipe.send(Consumed(problems, reading.records, reading.given_up))
    except Exception as error:
        pipe.send(f"{type(error).__name__}: {error}")


def _under_way(loads: Sequence[Load]) -> bool:
    deadline = time.monotonic() + BEGIN_S
    while waiting := [each.name for each in loads if not each.is_under_way]:
        if time.monotonic() > deadline:
            raise WorkerError(f"nothing was acknowledged within {BEGIN_S:.0f} s: {', '.join(waiting)}")
        time.sleep(TICK_S)
    return True


def _stopped(load: Load) -> Promised:
    load.stop()
    return load.promised
