"""One of several loads on a cluster: a step at a time, at a steady pace by the clock, in a thread of its own."""

from __future__ import annotations

import abc
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from confluent_kafka import KafkaException

from compat.quorum import connect
from kafkaproto.client import Client
from kafkaproto.message import Message

PATIENCE_S: Final = 300.0
"""A load in which nothing comes right for so long has failed. Single failures are none: the machine may be busy, and a
leader or coordinator may move."""
REQUEST_MS: Final = 30_000
REQUESTS_A_CONNECTION: Final = 50


class RefusedError(Exception):
    """A node says an error code, or something that cannot be; the step is tried again."""


class LoadFailedError(Exception):
    """A load came to nothing for too long, or was wrong; the text says which and why."""


TRANSIENT: Final = (KafkaException, LookupError, OSError, RefusedError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What all loads are on."""

    brokers: Sequence[str]
    """HOST:PORT of the nodes' listeners for clients."""
    controllers: Sequence[str]
    """HOST:PORT of those for controllers."""
    seed: int
    hurry: float = 1.0
    """By how much faster than usual everything goes."""

    @property
    def servers(self) -> str:
        """All brokers as clients take them."""
        return ",".join(self.brokers)

    @property
    def settings(self) -> dict[str, str | int | float | bool]:
        """Settings of all clients of librdkafka: few fetches, each for a while."""
        return {"bootstrap.servers": self.servers, "log_level": 0}

    @property
    def reading(self) -> dict[str, str | int | float | bool]:
        """Settings of its consumers besides."""
        return {
            **self.settings,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "fetch.wait.max.ms": int(1_000 / self.hurry),
            "fetch.min.bytes": 65_536,
            "fetch.error.backoff.ms": 1_000,
            "check.crcs": True,
            "queued.max.messages.kbytes": 4_096,
        }


class Load(abc.ABC):
    """Does a step whenever one is due. What it could not do in time is not made up for."""

    INTERVAL_S = 1.0
    """Between two steps."""

    def __init__(self, name: str, ground: Ground) -> None:
        """Not started yet."""
        self.name = name
        self.ground = ground
        self.random = Random(f"{name} {ground.seed}")
        self.done = 0
        """What has come right, in the load's own unit."""
        self.tries: Counter[str] = Counter()
        """Steps that came to nothing, by the kind of error."""
        self.last_words = ""
        """What the newest of these errors says."""
        self.failure: BaseException | None = None
        self._stop_asked = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Steps until `stop`, or until something is wrong."""
        self._thread.start()

    def _run(self) -> None:
        try:
            self._steps()
        except BaseException as error:
            self.failure = error
        finally:
            self.close()

    def _steps(self) -> None:
        interval_s = self.INTERVAL_S / self.ground.hurry
        # Not all loads begin their steps at the same time.
        due_s = last_s = time.monotonic() + self.random.uniform(0, interval_s)
        while not self._stop_asked.wait(max(0.0, due_s - time.monotonic())):
            try:
                self.step()
                last_s = time.monotonic()
            except TRANSIENT as error:
                self.tries[type(error).__name__] += 1
                self.last_words = str(error)
                if time.monotonic() - last_s > PATIENCE_S:
                    raise LoadFailedError(
                        f"{self.name}: nothing came right for {PATIENCE_S:.0f} s: {error}"
                    ) from error
            due_s = max(due_s + interval_s, time.monotonic())

    @abc.abstractmethod
    def step(self) -> None:
        """Does something, and counts it. May raise what is transient; everything else ends the run."""

    @abc.abstractmethod
    def close(self) -> None:
        """Gives back what the thread has; called in the thread."""

    def stop(self) -> None:
        """Asks for no more steps, and returns when the thread has ended. Raises what it ended with."""
        self.ask_to_stop()
        self.join()
        self.check()

    def join(self, timeout_s: float | None = None) -> None:
        """Returns when the thread has ended, if it ever began, or the time is over."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)

    def ask_to_stop(self) -> None:
        """Asks for no more steps."""
        self._stop_asked.set()

    def check(self) -> None:
        """Raises what the thread ended with."""
        if self.failure is not None:
            raise self.failure


class Lines:
    """A connection to each of some nodes, made anew after a failure and from time to time."""

    def __init__(self, addresses: Sequence[str], client_id: str = "soak") -> None:
        """Connects to none yet."""
        self.addresses = addresses
        self._client_id = client_id
        self._clients: dict[str, Client] = {}
        self._asked: Counter[str] = Counter()

    def ask(self, address: str, request: Message, version: int | None = None) -> Message:
        """A node's response; raises OSError."""
        client = self._clients.get(address)
        if client is None or self._asked[address] >= REQUESTS_A_CONNECTION:
            self._drop(address)
            client = self._clients[address] = connect(address, timeout_ms=REQUEST_MS)
            self._asked[address] = 0
        self._asked[address] += 1
        try:
            return client.send(request, version)
        except OSError:
            self._drop(address)
            raise

    def _drop(self, address: str) -> None:
        if (client := self._clients.pop(address, None)) is not None:
            client.close()

    def close(self) -> None:
        """Closes all connections."""
        for address in list(self._clients):
            self._drop(address)


def check_code(what: str, code: int, *allowed: int) -> None:
    """Raises RefusedError for an error code that is not allowed."""
    if code not in (0, *allowed):
        raise RefusedError(f"{what}: error {code}")
