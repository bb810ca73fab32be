"""Writes dead letters (`core.share_partitions.dead_letters`) to the dead-letter topics of share groups (KIP-1191).

Each share partition with dead letters has an *outbox*, which writes one round after the other: a thread reads what is
copied and makes a batch, and the batch goes to the leader of a partition of the dead-letter topic. That partition has
the number of the source partition, modulo the number of partitions. What can be repeated is tried five times in a row,
2 s to 16 s apart. If that fails, or the topic may not be a dead-letter topic, the letters of the round are given up:
they count as written, and the log says so. So a share partition continues while its dead-letter topic is not there.

A record stays in flight until its letter is written, so no outbox has more letters than the group may have records in
flight. To one broker there are only so many rounds on the way; only these are in memory as records.

Letters of a partition that this broker does not lead any more are forgotten: the new leader finds the records ARCHIVING
and writes them. It may write some again that were written before, as may a leader that has died in between.

Apache Kafka: ``ShareGroupDLQStateManager``.
"""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, Protocol

import msgspec

from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto_server.base.error_texts import MAX_MESSAGE_LENGTH, quoted
from kafkaproto_server.base.ports import Buffer, Clock, Rng
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.config.keys.definitions import GROUP_KEYS, TOPIC_KEYS
from kafkaproto_server.config.keys.usable import usable
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import CurrentSettings, SettingsTable
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.core.share_partitions.dead_letters import (
    ROUND_RECORDS,
    DeadLetter,
    Origin,
    Round,
    TopicRules,
    next_round,
    refusal,
)
from kafkaproto_server.core.share_partitions.settings import SharePartitionConfig, share_settings_of
from kafkaproto_server.core.share_partitions.source_records import SourcePlace, SourceRecords
from kafkaproto_server.metadata.image.entries import GROUP_RESOURCE, TOPIC_RESOURCE, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.share_requests import ShareKey
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.storage.errors import OffsetOutOfRangeError, StorageError

_log = logging.getLogger("kafkaproto.server.dead_letters")

MAX_TRIES: Final = 5
BACKOFF_MS: Final = 1_000
"""Doubled with each try."""
ROUNDS_AT_ONCE: Final = 4
"""How many rounds are on the way to one broker. Each has at most 1 MiB, or one record that is larger."""
READ_BYTES: Final = 1024 * 1024
"""How much of the source's log is read at once."""
MAX_GROUPS: Final = 1_000
"""So many groups have counts; the oldest ones go first."""
_AGAIN = frozenset(
    {
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
)
"""Errors after which a round is written again. Apache Kafka does so after the first three only."""
_CREATED = frozenset(
    {
        ErrorCode.NONE,
        ErrorCode.TOPIC_ALREADY_EXISTS,
        ErrorCode.THROTTLING_QUOTA_EXCEEDED,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.REQUEST_TIMED_OUT,
    }
)
"""What the controller may say of the creation of a topic so that it is worth to look again whether it is there."""


class DeadLetterConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a broker's configs say of dead-letter topics."""

    topic_prefix: str = ""
    """With which their names have to begin: errors.deadletterqueue.topic.name.prefix"""
    may_be_created: bool
    """errors.deadletterqueue.auto.create.topics.enable"""
    max_message_bytes: int
    """message.max.bytes, unless the topic has its own."""


_CONFIG = SettingsTable(
    DeadLetterConfig,
    {
        "topic_prefix": "errors.deadletterqueue.topic.name.prefix",
        "may_be_created": "errors.deadletterqueue.auto.create.topics.enable",
        "max_message_bytes": "message.max.bytes",
    },
)

Told = Callable[[ErrorCode, str | None], None]
"""Takes an error code, and what else was said."""


class Source(Protocol):
    """A share partition that has dead letters."""

    @property
    def key(self) -> ShareKey:
        """Which one it is."""

    @property
    def hosted(self) -> Hosted:
        """Its replica."""

    @property
    def is_gone(self) -> bool:
        """Whether it was forgotten. Another one may have been loaded in its place."""

    def letters_written(self, letters: Sequence[DeadLetter]) -> None:
        """These were written, or given up."""


class Transport(Protocol):
    """Reaches the leaders of dead-letter partitions, and the controller. Calls return at once."""

    def produce(self, leader: int, topic: TopicImage, index: int, records: bytes, done: Told) -> None:
        """Have a batch appended and replicated. ``done`` is called later: NETWORK_EXCEPTION if nobody responded."""

    def create_topic(self, name: str, done: Told) -> None:
        """Have a dead-letter topic created. ``done`` is called later."""


class DeadLetterCounts(msgspec.Struct, kw_only=True):
    """What was done for one group, as Kafka counts it."""

    records: int = 0
    """Records written."""
    produced: int = 0
    """Tries to write a round."""
    failed: int = 0
    """Rounds given up because they could not be written."""


class _LetterEntry:
    """A letter until it is written."""

    __slots__ = ("left", "letter", "source")

    def __init__(self, letter: DeadLetter, source: Source) -> None:
        self.letter = letter
        self.left = letter
        """What of it is not written yet."""
        self.source = source
        """Who is told: the one that is not gone, if there is one. Those before it would hold all their records until
        the letter is written, however often the share partition is loaded anew."""


def _first_of(entry: _LetterEntry) -> int:
    return entry.letter.first


class DeadLetters:
    """The dead letters of this broker."""

    def __init__(
        self,
        *,
        image: Callable[[], ClusterImage],
        configs: Callable[[], NodeConfigs],
        clock: Clock,
        rng: Rng,
        call_at: Callable[[int, Callable[[], None]], None],
        in_thread: Callable[[Callable[[], Any], Callable[[Any], None]], None],
        transport: Transport,
    ) -> None:
        """``in_thread`` calls its first argument in a thread, and its second one with the result. ``configs`` returns
        the same object as long as it has the same values."""
        self.image = image
        self.config = CurrentSettings(_CONFIG, configs)
        """The broker's settings as they are now."""
        self.clock = clock
        self.rng = rng
        self.call_at = call_at
        self.in_thread = in_thread
        self.transport = transport
        self.counts: dict[str, DeadLetterCounts] = {}
        """By group."""
        self._outboxes: dict[ShareKey, _Outbox] = {}
        self._on_the_way: dict[int, int] = {}
        self._waiting: dict[int, deque[_Outbox]] = {}
        self._creations: dict[str, list[Told]] = {}

    def __len__(self) -> int:
        return sum(len(each.entries) for each in self._outboxes.values())

    def write(self, source: Source, letters: Sequence[DeadLetter]) -> None:
        """Write letters. The source, or the one that was loaded in its place, is told of each once, later, unless this
        broker does not lead any more by then."""
        if not letters:
            return
        key = source.key
        outbox = self._outboxes.get(key)
        if outbox is None or outbox.hosted is not source.hosted:
            # An outbox of a replica that is gone finds out by itself that it is over.
            outbox = self._outboxes[key] = _Outbox(self, source)
        outbox.add(source, letters)

    # The rest is for the outboxes.

    def later(self, delay_ms: int, call: Callable[[], None]) -> None:
        """Call a function after milliseconds."""
        self.call_at(self.clock.now_ms() + delay_ms, call)

    def ended(self, outbox: _Outbox) -> None:
        """An outbox has no letters any more."""
        if self._outboxes.get(outbox.key) is outbox:
            del self._outboxes[outbox.key]

    def enter(self, broker_id: int, outbox: _Outbox) -> bool:
        """Whether a round may be made for a broker now. If not, `_Outbox.step` is called once it may."""
        used = self._on_the_way.get(broker_id, 0)
        if used >= ROUNDS_AT_ONCE:
            self._waiting.setdefault(broker_id, deque()).append(outbox)
            return False
        self._on_the_way[broker_id] = used + 1
        return True

    def leave(self, broker_id: int) -> None:
        self._on_the_way[broker_id] -= 1
        if not self._on_the_way[broker_id]:
            del self._on_the_way[broker_id]
        self.later(0, partial(self._let_in, broker_id))

    def _let_in(self, broker_id: int) -> None:
        """The next outbox makes a round for a broker. If it finds that it has none to make, the one behind it does."""
        waiting = self._waiting.get(broker_id)
        if not waiting or self._on_the_way.get(broker_id, 0) >= ROUNDS_AT_ONCE:
            return
        outbox = waiting.popleft()
        if waiting:
            self.later(0, partial(self._let_in, broker_id))
        else:
            del self._waiting[broker_id]
        outbox.step()

    def create_topic(self, name: str, done: Told) -> None:
        """Have a topic created, once for all who want it."""
        waiting = self._creations.setdefault(name, [])
        waiting.append(done)
        if len(waiting) > 1:
            return

        def created(code: ErrorCode, message: str | None) -> None:
            for each in self._creations.pop(name):
                each(code, message)

        self.transport.create_topic(name, created)

    def counts_of(self, group_id: str) -> DeadLetterCounts:
        """The counts of a group."""
        counts = self.counts.get(group_id)
        if counts is None:
            if len(self.counts) >= MAX_GROUPS:
                # Clients choose the names of groups, so their number is bounded by nothing else.
                del self.counts[next(iter(self.counts))]
            counts = self.counts[group_id] = DeadLetterCounts()
        return counts


class _Outbox:
    """The letters of one share partition. From the first one on it is always doing something: it makes a round, or
    waits for the response, for its turn, or for the time of the next try."""

    def __init__(self, node: DeadLetters, source: Source) -> None:
        self._node = node
        self.key = source.key
        self.hosted = source.hosted
        self.entries: list[_LetterEntry] = []
        self._sources: set[Source] = set()
        self._tries = 0
        self._is_running = False
        # Where the records of the first letter begin, if that is known.
        self._place: SourcePlace | None = None

    def add(self, source: Source, letters: Sequence[DeadLetter]) -> None:
        """Letters to write. What waits already, since the share partition was loaded anew, is written once."""
        known = [] if source in self._sources else sorted(self.entries, key=_first_of)
        self._sources = {source, *(each for each in self._sources if not each.is_gone)}
        for each in letters:
            found = _covering(known, each)
            if not found:
                self.entries.append(_LetterEntry(each, source))
            elif not source.is_gone:
                for entry in found:
                    entry.source = source
        if not self._is_running:
            self._is_running = True
            self._node.later(0, self.step)

    def step(self) -> None:
        """Make the next round, or find out why not."""
        # The new leader finds the records ARCHIVING, and writes their letters.
        if self.hosted.partition.role is not Role.LEADER or self.hosted.log is None:
            self.entries.clear()
        if not self.entries:
            self._is_running = False
            self._sources.clear()
            self._node.ended(self)
            return
        image, config = self._node.image(), self._node.config()
        settings = share_settings_of(
            SharePartitionConfig(),
            usable(GROUP_KEYS, image.config(GROUP_RESOURCE, self.key.group_id))[0],
            has_dead_letters=True,
        )
        name = settings.dead_letter_topic
        topic = image.topic_by_name(name)
        own, _ = usable(TOPIC_KEYS, image.config(TOPIC_RESOURCE, name))
        reason = refusal(
            name,
            TopicRules(
                prefix=config.topic_prefix,
                may_be_created=config.may_be_created,
                exists=topic is not None,
                is_enabled=own.get("errors.deadletterqueue.group.enable", "").lower() == "true",
            ),
        )
        if reason is not None:
            self._give_up(len(self.entries), reason)
        elif topic is None:
            self._node.create_topic(name, self._created)
        else:
            # So the letters of one partition are in one partition, in order.
            index = self.key.partition % len(topic.partitions)
            leader = topic.partitions[index].leader
            if leader == NO_NODE:
                self._again(ErrorCode.LEADER_NOT_AVAILABLE, f"partition {index} of {name} has no leader")
            # What waits for its turn is only an outbox, not a batch: records are read once there is room for them.
            elif self._node.enter(leader, self):
                own_bytes = own.get("max.message.bytes")
                max_bytes = config.max_message_bytes if own_bytes is None else int(own_bytes)
                self._make_round(
                    max_bytes, settings.copies_dead_letters, partial(self._made, leader, topic, index)
                )

    def _created(self, code: ErrorCode, message: str | None) -> None:
        if code in _CREATED:
            self._again(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, message or "the topic was not there yet")
        else:
            reason = f"the topic cannot be created: {message or describe(code).message}"
            self._give_up(len(self.entries), reason)

    # -- a round -------------------------------------------------------------------------------------------------

    def _make_round(self, max_bytes: int, is_copied: bool, done: Callable[[Round], None]) -> None:
        partition, log = self.hosted.partition, self.hosted.log
        assert log is not None
        origin = Origin(topic=partition.topic, partition=partition.index, group_id=self.key.group_id)
        # The thread gets a list of its own: entries may come while it reads.
        letters = [each.left for each in islice(self.entries, ROUND_RECORDS)]
        # Members had the records, so they are committed, though a new leader may not know that yet.
        end_offset, log_start = partition.log_end_offset, partition.log_start_offset
        place = self._place
        wall_ms = self._node.clock.wall_ms()

        def read(offset: int) -> Buffer:
            try:
                return log.read_records(offset, READ_BYTES, end_offset, whole_first=True)
            except (OSError, StorageError, OffsetOutOfRangeError):
                return b""

        def work() -> Round:
            source = SourceRecords(read, log_start, max_bytes, place)
            return next_round(origin, letters, source, max_bytes, wall_ms, is_copied=is_copied)

        self._node.in_thread(work, done)

    def _made(self, leader: int, topic: TopicImage, index: int, made: Round) -> None:
        if not made.size:
            # The log has no record at these offsets.
            self._written(leader, made, ErrorCode.NONE, None)
            return
        self._node.counts_of(self.key.group_id).produced += 1
        done = partial(self._written, leader, made)
        self._node.transport.produce(leader, topic, index, made.records, done)

    def _written(self, leader: int, made: Round, code: ErrorCode, message: str | None) -> None:
        # Whatever came of it: an outbox that waits for its next try keeps nobody out.
        self._node.leave(leader)
        if code is ErrorCode.NONE:
            self._tries = 0
            self._node.counts_of(self.key.group_id).records += made.size
            if made.rest is not None:
                self.entries[made.complete].left = made.rest
            self._place = made.place
            self._finish(made.complete)
            self._node.later(0, self.step)
        elif code in _AGAIN:
            self._again(code, message, made)
        else:
            self._fail(made, message or describe(code).message)

    def _again(self, code: ErrorCode, message: str | None, made: Round | None = None) -> None:
        self._tries += 1
        if self._tries < MAX_TRIES:
            delay_ms = BACKOFF_MS << self._tries
            # A fifth more or less, so that brokers that failed together do not retry together.
            delay_ms += self._node.rng.below(2 * delay_ms // 5 + 1) - delay_ms // 5
            self._node.later(delay_ms, self.step)
            return
        reason = message or describe(code).message
        if made is None:
            self._give_up(len(self.entries), reason)
        else:
            self._fail(made, reason)

    def _fail(self, made: Round, reason: str) -> None:
        self._node.counts_of(self.key.group_id).failed += 1
        self._give_up(made.complete + (made.rest is not None), reason)

    def _give_up(self, count: int, reason: str) -> None:
        """The first so many letters are not written, or of many some: the next step finds the same of the others."""
        count = min(count, ROUND_RECORDS)
        self._tries = 0
        first = self.entries[0].letter
        _log.warning(
            "share group %s: %d ranges of records of %s-%d, the first from %d to %d, are archived and not in a"
            " dead-letter topic: %r",
            quoted(self.key.group_id),
            count,
            self.hosted.partition.topic,
            self.key.partition,
            first.first,
            first.last,
            # Clients choose the names of groups and, in their configs, of topics: no line of the log is theirs.
            reason[:MAX_MESSAGE_LENGTH],
        )
        self._finish(count)
        self._node.later(0, self.step)

    def _finish(self, count: int) -> None:
        """The first so many letters need not be written any more."""
        finished: dict[Source, list[DeadLetter]] = {}
        for entry in self.entries[:count]:
            finished.setdefault(entry.source, []).append(entry.letter)
        del self.entries[:count]
        for source, found in finished.items():
            source.letters_written(found)


def _covering(known: Sequence[_LetterEntry], letter: DeadLetter) -> list[_LetterEntry]:
    """Those of some letters, in order, that together have all records of one; none if they do not."""
    position = max(0, bisect_right(known, letter.first, key=_first_of) - 1)
    found: list[_LetterEntry] = []
    needed = letter.first
    for entry in known[position:]:
        if needed > letter.last or not entry.letter.first <= needed <= entry.letter.last:
            break
        found.append(entry)
        needed = entry.letter.last + 1
    return found if needed > letter.last else []
