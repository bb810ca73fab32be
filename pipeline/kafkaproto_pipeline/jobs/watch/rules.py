"""The rules that decide what is an alert. They read the records of the metadata log in order, and remember little.

A rule set is a plain object whose ``memory`` is a JSON value; `alerts` keeps that in Spark's state between batches. So
any split of the records into batches gives the same alerts. Topics are spread over several `TopicRules`, and each of
them gets all topic configs. Brokers and elections belong to the one `ClusterRules`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kafkaproto_pipeline.views.latest import ABORT_TRANSACTION, BEGIN_TRANSACTION, END_TRANSACTION

CRITICAL, WARNING, INFO = "critical", "warning", "info"

LEADERLESS = "leaderless partition"
BELOW_MIN_ISR = "ISR below minimum"
PARTITION_FLAPS = "flapping partition"
BROKER_FENCED = "broker fenced"
BROKER_DIED = "broker died"
BROKER_GONE = "broker unregistered"
BROKER_STOPPING = "broker shuts down"
BROKER_FLAPS = "flapping broker"
NEW_LEADER = "new quorum leader"
EPOCH_JUMP = "epoch jump"
MANY_ELECTIONS = "many elections"
SILENT_LEADER = "leader not confirmed"
DAMAGED = "damaged log"
MISSING = "missing records"
OVER = "over: "
"""How the text of an alert begins that says that trouble has ended."""
PARTITION_KINDS = (LEADERLESS, BELOW_MIN_ISR, PARTITION_FLAPS)
"""Alerts of which one cause may raise thousands."""
KINDS = (
    *PARTITION_KINDS,
    *(BROKER_FENCED, BROKER_DIED, BROKER_GONE, BROKER_STOPPING, BROKER_FLAPS),
    *(NEW_LEADER, EPOCH_JUMP, MANY_ELECTIONS, SILENT_LEADER),
    *(DAMAGED, MISSING),
)
LACKING_KINDS = (DAMAGED, MISSING)
"""Alerts that others may be missing after: some of the log was not read."""

BROKER_KINDS = (BROKER_FENCED, BROKER_DIED, BROKER_GONE, BROKER_STOPPING)
"""Alerts of a broker that leaves, or with `OVER` of one that is back."""

BROKER = "broker"
QUORUM = "quorum"
"""Subject of alerts about the quorum itself."""
LOG = "metadata log"
"""Subject of alerts about what cannot be read."""

MIN_ISR_KEY = "min.insync.replicas"
_TOPIC_RESOURCE, _BROKER_RESOURCE = 2, 4
_NO_LEADER, _LEADER_UNCHANGED = -1, -2
_FENCED, _UNFENCED = 1, -1
_IN_SHUTDOWN = 1
_LEADER_CHANGE = "LeaderChangeMessage"
_SNAPSHOT_HEADER = "SnapshotHeaderRecord"
DAMAGE = "damage"
"""Type of what stands in the place of records that cannot be read; its payload has ``reason``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits beyond which the rules raise alerts."""

    window_ms: int = 600_000
    """How far back changes count."""
    partition_changes: int = 4
    """This many changes of a partition's leader within the window mean that it flaps."""
    broker_changes: int = 4
    """A broker that was fenced or unfenced this many times within the window flaps."""
    elections: int = 3
    """This many new leaders of the quorum within the window raise an alert."""
    silence_ms: int = 5_000
    """If a leader committed nothing for this long, it has not confirmed itself. This is ten times the interval in
    which a leader writes a NoOpRecord if there is nothing else.
    """
    min_isr: int = 1
    """``min.insync.replicas`` if the log has no config for it; the brokers' files are not in the log."""


class LogRecord(NamedTuple):
    """A record of the log, or of a snapshot."""

    offset: int
    time_ms: int
    epoch: int
    type: str
    payload: Mapping[str, Any]
    """Its fields by their names in Kafka's JSON; those at their default may be left out."""


class Alert(NamedTuple):
    """Something that a person should know."""

    time_ms: int
    kind: str
    severity: str
    subject: str
    """A partition as topic-number, ``broker ID``, ``quorum`` or ``metadata log``."""
    offset: int
    text: str
    cause: str | None = None
    """Of a partition's alert, the brokers that left it or came back to it, as ``broker ID``; None if that is not known.
    """


class _Rules:
    """Holds records of a metadata transaction back until it ends."""

    def __init__(self, limits: Limits, memory: dict[str, Any] | None) -> None:
        self.limits = limits
        self.memory: dict[str, Any] = memory if memory is not None else self.empty()

    def empty(self) -> dict[str, Any]:
        """What is remembered before the first record."""
        return {"open": None}

    def take(self, record: LogRecord) -> Iterator[Alert]:
        """The alerts that a record raises."""
        if record.type == BEGIN_TRANSACTION:
            self.memory["open"] = []
        elif record.type in (END_TRANSACTION, ABORT_TRANSACTION):
            held, self.memory["open"] = self.memory["open"], None
            for each in (held or []) if record.type == END_TRANSACTION else []:
                yield from self.look(LogRecord(*each))
        elif self.memory["open"] is None or record.type == _LEADER_CHANGE:
            yield from self.look(record)
        elif record.type in self.rules():
            self.memory["open"].append(list(record))

    def look(self, record: LogRecord) -> Iterator[Alert]:
        """The alerts of a record that counts."""
        rule = self.rules().get(record.type)
        if rule is not None:
            yield from rule(record)

    def rules(self) -> Mapping[str, Callable[[LogRecord], Iterator[Alert]]]:
        """For each record type, the rule that reads it."""
        return {}

    def count(self, times: list[int], now_ms: int, limit: int) -> bool:
        """Note a change. Returns whether there are now too many within the window; if so, counting starts again."""
        times.append(now_ms)
        times[:] = [each for each in times if each > now_ms - self.limits.window_ms][-limit:]
        if len(times) < limit:
            return False
        times.clear()
        return True

    def window_text(self) -> str:
        """The window in a text."""
        return f"{self.limits.window_ms / 1000:g} s"


class TopicRules(_Rules):
    """Leaderless partitions, ISRs below their minimum, partitions that flap."""

    def empty(self) -> dict[str, Any]:
        """Topics: id -> [name, partitions: number -> [leader, ISR, number of replicas, changes]]; minimums: topic name,
        or empty for the cluster's default -> number. The checkpoint of an earlier release may have the number of an
        ISR's members in place of the ISR.
        """
        return {**super().empty(), "topics": {}, "minimums": {}}

    def rules(self) -> Mapping[str, Callable[[LogRecord], Iterator[Alert]]]:
        return {
            "TopicRecord": self._topic,
            "RemoveTopicRecord": self._remove_topic,
            "PartitionRecord": self._partition,
            "PartitionChangeRecord": self._change,
            "ConfigRecord": self._config,
        }

    def _topic(self, record: LogRecord) -> Iterator[Alert]:
        self.memory["topics"].setdefault(record.payload["topicId"], ["", {}])[0] = record.payload["name"]
        yield from ()

    def _remove_topic(self, record: LogRecord) -> Iterator[Alert]:
        topic = self.memory["topics"].pop(record.payload["topicId"], None)
        if topic is not None:
            self.memory["minimums"].pop(topic[0], None)
        yield from ()

    def _partition(self, record: LogRecord) -> Iterator[Alert]:
        payload = record.payload
        topic = self.memory["topics"].setdefault(payload["topicId"], ["", {}])
        number = str(payload["partitionId"])
        before = topic[1].get(number)
        now = [payload["leader"], payload["isr"], len(payload["replicas"]), []]
        topic[1][number] = now
        yield from self._compare(record, topic, number, before, now)

    def _change(self, record: LogRecord) -> Iterator[Alert]:
        payload = record.payload
        topic = self.memory["topics"].setdefault(payload["topicId"], ["", {}])
        number = str(payload["partitionId"])
        # A stream that began in the midst of the log does not know the partition.
        before = topic[1].get(number, [_LEADER_UNCHANGED, None, None, []])
        leader = payload.get("leader", _LEADER_UNCHANGED)
        isr, replicas = payload.get("isr"), payload.get("replicas")
        now = [
            before[0] if leader == _LEADER_UNCHANGED else leader,
            before[1] if isr is None else isr,
            before[2] if replicas is None else len(replicas),
            before[3],
        ]
        topic[1][number] = now
        yield from self._compare(record, topic, number, before, now)

    def _config(self, record: LogRecord) -> Iterator[Alert]:
        payload = record.payload
        is_default = payload["resourceType"] == _BROKER_RESOURCE and not payload["resourceName"]
        if payload["name"] != MIN_ISR_KEY or not (is_default or payload["resourceType"] == _TOPIC_RESOURCE):
            return
        name = payload["resourceName"]
        low = {key for key in self._partitions(name) if self._is_low(*key)}
        if payload.get("value") is None:
            self.memory["minimums"].pop(name, None)
        else:
            self.memory["minimums"][name] = int(payload["value"])
        for topic_id, number in self._partitions(name):
            topic = self.memory["topics"][topic_id]
            is_low = self._is_low(topic_id, number)
            if is_low != ((topic_id, number) in low):
                yield self._isr_alert(record, topic, number, is_low, None)

    def _partitions(self, name: str) -> Iterator[tuple[str, str]]:
        for topic_id, topic in self.memory["topics"].items():
            if name in ("", topic[0]):
                for number in topic[1]:
                    yield topic_id, number

    def _is_low(self, topic_id: str, number: str) -> bool:
        topic = self.memory["topics"][topic_id]
        return self._below(topic[0], topic[1][number])

    def _minimum(self, name: str) -> int:
        minimums = self.memory["minimums"]
        return int(minimums.get(name, minimums.get("", self.limits.min_isr)))

    def _below(self, name: str, partition: list[Any]) -> bool:
        size, replicas = _size(partition[1]), partition[2]
        if size is None:
            return False
        minimum = self._minimum(name)
        return bool(size < (minimum if replicas is None else min(minimum, replicas)))

    def _compare(
        self, record: LogRecord, topic: list[Any], number: str, before: list[Any] | None, now: list[Any]
    ) -> Iterator[Alert]:
        name = topic[0]
        subject = self._subject(record, topic, number)
        old_leader = now[0] if before is None else before[0]
        if now[0] == _NO_LEADER and (before is None or old_leader != _NO_LEADER):
            was = "" if before is None or old_leader < 0 else f"; it was {old_leader}"
            cause = _brokers([old_leader]) if was else None
            yield self._alert(record, LEADERLESS, CRITICAL, subject, f"nobody leads it{was}", cause)
        elif old_leader == _NO_LEADER and now[0] != _NO_LEADER:
            text = f"{OVER}{now[0]} leads it"
            yield self._alert(record, LEADERLESS, INFO, subject, text, _brokers(now[:1]))
        was_low = before is not None and self._below(name, before)
        if self._below(name, now) != was_low:
            old_isr = None if before is None else before[1]
            cause = _lost(now[1], old_isr) if was_low else _lost(old_isr, now[1])
            yield self._isr_alert(record, topic, number, not was_low, cause)
        if (
            now[0] != old_leader
            and old_leader != _LEADER_UNCHANGED
            and self.count(now[3], record.time_ms, self.limits.partition_changes)
        ):
            text = f"its leader changed {self.limits.partition_changes} times within {self.window_text()}"
            yield self._alert(record, PARTITION_FLAPS, WARNING, subject, text)

    def _isr_alert(
        self, record: LogRecord, topic: list[Any], number: str, is_low: bool, cause: str | None
    ) -> Alert:
        size, minimum = _size(topic[1][number][1]), self._minimum(topic[0])
        text = f"{size} in sync, {MIN_ISR_KEY} is {minimum}"
        severity = CRITICAL if is_low else INFO
        subject = self._subject(record, topic, number)
        text = text if is_low else f"{OVER}{text}"
        return self._alert(record, BELOW_MIN_ISR, severity, subject, text, cause)

    def _subject(self, record: LogRecord, topic: list[Any], number: str) -> str:
        return f"{topic[0] or record.payload.get('topicId')}-{number}"

    def _alert(
        self,
        record: LogRecord,
        kind: str,
        severity: str,
        subject: str,
        text: str,
        cause: str | None = None,
    ) -> Alert:
        return Alert(record.time_ms, kind, severity, subject, record.offset, text, cause)


def _size(isr: list[int] | int | None) -> int | None:
    return len(isr) if isinstance(isr, list) else isr


def _lost(before: list[int] | int | None, after: list[int] | int | None) -> str | None:
    """The brokers that were in an ISR and no longer are."""
    if not isinstance(before, list) or not isinstance(after, list):
        return None
    return _brokers(sorted(set(before) - set(after)))


def _brokers(ids: Sequence[int]) -> str | None:
    return ", ".join(f"{BROKER} {each}" for each in ids) or None


class ClusterRules(_Rules):
    """Brokers, elections, and a leader that falls silent."""

    def empty(self) -> dict[str, Any]:
        """Brokers: id -> [is fenced, is shutting down, incarnation, changes]."""
        return {
            **super().empty(),
            "brokers": {},
            "epoch": None,
            "leader": None,
            "elections": [],
            "offset": -1,
            "time_ms": None,
            "silent_ms": None,
        }

    def take(self, record: LogRecord) -> Iterator[Alert]:
        """The alerts that a record raises, or damage in the place of records."""
        memory = self.memory
        if record.type == DAMAGE:
            yield self._alert(self._dated(record), DAMAGED, CRITICAL, LOG, record.payload["reason"])
            return
        if record.type == _SNAPSHOT_HEADER and 0 <= memory["offset"] < record.offset:
            text = (
                f"offsets {memory['offset'] + 1} to {record.offset} were not read; a snapshot stands for them"
            )
            yield self._alert(self._dated(record), MISSING, CRITICAL, LOG, text)
        memory["time_ms"] = record.time_ms
        memory["offset"] = max(memory["offset"], record.offset)
        if memory["silent_ms"] is not None:
            # The record may have waited in the leader's log all the while.
            over = record._replace(time_ms=max(record.time_ms, memory["silent_ms"]))
            memory["silent_ms"] = None
            yield self._alert(over, SILENT_LEADER, INFO, QUORUM, f"{OVER}offset {record.offset} is committed")
        if memory["epoch"] is not None and record.epoch > memory["epoch"] + 1:
            text = (
                f"the epoch went from {memory['epoch']} to {record.epoch}: elections without a leader between"
            )
            yield self._alert(record, EPOCH_JUMP, WARNING, QUORUM, text)
        memory["epoch"] = max(memory["epoch"] or 0, record.epoch)
        yield from super().take(record)

    def _dated(self, record: LogRecord) -> LogRecord:
        """What has no time of its own, with that of the last record before it."""
        last_ms = self.memory.get("time_ms")
        return record if last_ms is None else record._replace(time_ms=last_ms)

    def silent(self, now_ms: int) -> Iterator[Alert]:
        """Nothing was committed for as long as the limits say."""
        if self.memory["silent_ms"] is None:
            self.memory["silent_ms"] = now_ms
            leader, offset = self.memory["leader"], self.memory["offset"]
            who = "the leader" if leader is None else f"leader {leader}"
            text = f"{who} committed nothing for {self.limits.silence_ms / 1000:g} s after offset {offset}"
            yield Alert(now_ms, SILENT_LEADER, CRITICAL, QUORUM, offset, text)

    def rules(self) -> Mapping[str, Callable[[LogRecord], Iterator[Alert]]]:
        return {
            _LEADER_CHANGE: self._leader,
            "RegisterBrokerRecord": self._register,
            "BrokerRegistrationChangeRecord": self._registration_change,
            "FenceBrokerRecord": self._fence,
            "UnfenceBrokerRecord": self._unfence,
            "UnregisterBrokerRecord": self._unregister,
        }

    def _leader(self, record: LogRecord) -> Iterator[Alert]:
        leader, before = record.payload["leaderId"], self.memory["leader"]
        self.memory["leader"] = leader
        if before is None:
            return
        text = f"{leader} leads in epoch {record.epoch}; it was {before}"
        yield self._alert(record, NEW_LEADER, WARNING, QUORUM, text)
        if self.count(self.memory["elections"], record.time_ms, self.limits.elections):
            text = f"{self.limits.elections} new leaders within {self.window_text()}"
            yield self._alert(record, MANY_ELECTIONS, CRITICAL, QUORUM, text)

    def _register(self, record: LogRecord) -> Iterator[Alert]:
        payload = record.payload
        number = str(payload["brokerId"])
        before = self.memory["brokers"].get(number)
        incarnation = payload["incarnationId"]
        fenced = bool(payload.get("fenced", True))
        changes = [] if before is None else before[3]
        self.memory["brokers"][number] = [
            fenced,
            bool(payload.get("inControlledShutdown")),
            incarnation,
            changes,
        ]
        if before is not None and before[2] != incarnation and not before[0] and not before[1]:
            text = "it registered anew without having shut down"
            yield self._alert(record, BROKER_DIED, CRITICAL, f"broker {number}", text)
            yield from self._flaps(record, number, changes)

    def _registration_change(self, record: LogRecord) -> Iterator[Alert]:
        payload = record.payload
        number = str(payload["brokerId"])
        if payload.get("inControlledShutdown") == _IN_SHUTDOWN:
            broker = self._broker(number)
            if not broker[1]:
                yield self._alert(record, BROKER_STOPPING, INFO, f"broker {number}", "in order")
            broker[1] = True
        fenced = payload.get("fenced")
        if fenced in (_FENCED, _UNFENCED):
            yield from self._set_fenced(record, number, fenced == _FENCED)

    def _fence(self, record: LogRecord) -> Iterator[Alert]:
        yield from self._set_fenced(record, str(record.payload["id"]), True)

    def _unfence(self, record: LogRecord) -> Iterator[Alert]:
        yield from self._set_fenced(record, str(record.payload["id"]), False)

    def _unregister(self, record: LogRecord) -> Iterator[Alert]:
        number = str(record.payload["brokerId"])
        self.memory["brokers"].pop(number, None)
        yield self._alert(record, BROKER_GONE, INFO, f"broker {number}", "its registration is removed")

    def _broker(self, number: str) -> list[Any]:
        broker: list[Any] = self.memory["brokers"].setdefault(number, [None, False, None, []])
        return broker

    def _set_fenced(self, record: LogRecord, number: str, fenced: bool) -> Iterator[Alert]:
        broker = self._broker(number)
        before, broker[0] = broker[0], fenced
        if before == fenced:
            return
        subject = f"broker {number}"
        if not fenced:
            broker[1] = False
            yield self._alert(record, BROKER_FENCED, INFO, subject, f"{OVER}it is unfenced")
        elif broker[1]:
            yield self._alert(record, BROKER_FENCED, INFO, subject, "it has shut down")
        else:
            # Of a broker that leads nothing an orderly stop leaves no more in the log than its death does.
            text = "it fell silent, or was stopped while it led nothing: no controlled shutdown came before"
            yield self._alert(record, BROKER_FENCED, CRITICAL, subject, text)
        yield from self._flaps(record, number, broker[3])

    def _flaps(self, record: LogRecord, number: str, changes: list[int]) -> Iterator[Alert]:
        if self.count(changes, record.time_ms, self.limits.broker_changes):
            text = f"it came or went {self.limits.broker_changes} times within {self.window_text()}"
            yield self._alert(record, BROKER_FLAPS, WARNING, f"broker {number}", text)

    def _alert(self, record: LogRecord, kind: str, severity: str, subject: str, text: str) -> Alert:
        return Alert(record.time_ms, kind, severity, subject, record.offset, text)
