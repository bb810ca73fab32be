"""The events of a history, and its topics, reassignments, features, controllers and tokens, told the slow way.

One record after the other, with the image before and after it, as in `history_oracle`. What the first image holds
happened before the history.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kafkaproto import uuids
from kafkaproto.log import BatchScan, parse_segment_file_name
from kafkaproto.message import Message
from kafkaproto.messages import (
    ClearElrRecord,
    DelegationTokenRecord,
    FeatureLevelRecord,
    KRaftVersionRecord,
    LeaderChangeMessage,
    PartitionChangeRecord,
    PartitionRecord,
    RegisterControllerRecord,
    RemoveDelegationTokenRecord,
    RemoveTopicRecord,
    TopicRecord,
    UnregisterControllerRecord,
    VotersRecord,
)
from kafkaproto.records.control import decode_control_record
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.config.keys.sensitivity import plain_keys
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.replay import replay
from tests.pipeline import history_oracle as oracle
from tests.pipeline.history_oracle import Step

Row = tuple[Any, ...]
_RESOURCES = {"TOPIC": 2, "BROKER": 4, "CLIENT_METRICS": 16, "GROUP": 32}
_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
Event = tuple[int, int, str, str, str | None, int | None, str]
"""Offset, milliseconds, kind, subject, topic, broker, text."""


def steps_of_log(node: Path) -> list[Step]:
    """The log of a node, record by record, without what aborted or open transactions hold."""
    steps: list[Step] = []
    image = EMPTY_IMAGE
    waiting: list[tuple[int, int, int, Message]] | None = None
    begun = -1
    for offset, timestamp_ms, epoch, record in _records(node):
        where = (offset, timestamp_ms, epoch)
        if record.NAME == "BeginTransactionRecord":
            waiting, begun = [], offset
        elif record.NAME == "AbortTransactionRecord":
            waiting = None
        elif record.NAME == "EndTransactionRecord":
            for each in waiting or ():
                image = _take(steps, image, each, begun)
            waiting = None
        elif waiting is None or record.TYPE != "metadata":
            image = _take(steps, image, (*where, record), None)
        else:
            waiting.append((*where, record))
    return sorted(steps, key=lambda step: step.offset)


def _records(node: Path) -> Iterator[tuple[int, int, int, Message]]:
    files = (node / "__cluster_metadata-0").glob("*.log")
    for path in sorted(files):
        for batch in BatchScan(path.read_bytes(), next_offset=parse_segment_file_name(path.name) or 0):
            for record in batch.records():
                if batch.is_control:
                    message = decode_control_record(record.key, record.value)[1]
                else:
                    message = decode_metadata_record(record.value or b"")[0]
                yield record.offset, record.timestamp, batch.partition_leader_epoch, message


def _take(
    steps: list[Step], image: ClusterImage, row: tuple[int, int, int, Message], transaction: int | None
) -> ClusterImage:
    offset, timestamp_ms, epoch, record = row
    after = replay(image, record, offset) if record.TYPE == "metadata" else image
    steps.append(
        Step(
            offset=offset,
            timestamp_ms=timestamp_ms,
            record=record,
            before=image,
            after=after,
            epoch=epoch,
            transaction=transaction,
        )
    )
    return after


def topic_changes(steps: list[Step]) -> list[Row]:
    """Offset, time, name, id, change, old and new number of partitions, replication factor."""
    found: dict[Row, list[Step]] = defaultdict(list)
    removals = []
    for step in steps:
        record = step.record
        moment = (step.timestamp_ms,) if step.transaction is None else (step.transaction, "transaction")
        if isinstance(record, TopicRecord):
            found[(record.topic_id, moment)].append(step)
        elif isinstance(record, PartitionRecord):
            old = step.before.topics[record.topic_id].partitions
            if record.partition_id not in old:
                found[(record.topic_id, moment)].append(step)
        elif isinstance(record, RemoveTopicRecord):
            gone = step.before.topics[record.topic_id]
            where = (step.offset, step.timestamp_ms, gone.name, uuids.to_text(gone.topic_id))
            removals.append((*where, "deleted", len(gone.partitions), 0, None))
    changes = []
    for (topic_id, _), parts in found.items():
        first, last = parts[0], parts[-1]
        new = last.after.topics[topic_id]
        size = len(new.partitions)
        factors = [len(each.record.replicas) for each in parts if isinstance(each.record, PartitionRecord)]
        creates = isinstance(first.record, TopicRecord)
        changes.append(
            (
                *(first.offset, min(each.timestamp_ms for each in parts), new.name, uuids.to_text(topic_id)),
                "created" if creates else "partitions added",
                *(size - len(factors), size, factors[0] if factors else None),
            )
        )
    return changes + removals


def topics(steps: list[Step]) -> list[Row]:
    """Name, id, partitions, replication factor, creation, deletion, lifetime."""
    created: dict[bytes, tuple[int, int]] = {}
    deleted: dict[bytes, tuple[int, int]] = {}
    last = {each.topic_id: each for each in steps[0].before.topics.values()}
    for step in steps:
        here = (step.offset, step.timestamp_ms)
        if isinstance(step.record, TopicRecord):
            created[step.record.topic_id] = here
        elif isinstance(step.record, RemoveTopicRecord):
            deleted[step.record.topic_id] = here
        if isinstance(step.record, TopicRecord | PartitionRecord | PartitionChangeRecord):
            topic_id = step.record.topic_id
            last[topic_id] = step.after.topics[topic_id]
    rows = []
    for topic_id, topic in last.items():
        begin, end = created.get(topic_id), deleted.get(topic_id)
        first = topic.partitions.get(0)
        factor = None if first is None else len(first.replicas) - len(first.adding_replicas)
        lifetime = max(0, end[1] - begin[1]) if begin and end else None
        name = (topic.name, uuids.to_text(topic_id))
        rows.append(
            (*name, len(topic.partitions), factor, *(begin or (None,) * 2), *(end or (None,) * 2), lifetime)
        )
    return rows


def reassignments(steps: list[Step], base: tuple[tuple[int, int], ClusterImage] | None = None) -> list[Row]:
    """Topic, id, partition, origin, target, adding, removing, span, outcome."""

    def lists(each: PartitionImage, _: str) -> Row:
        return (each.replicas, each.adding_replicas, each.removing_replicas)

    def look(image: ClusterImage) -> Mapping[Row, Row]:
        return oracle.partitions(image, lists)

    by_partition: dict[Row, list[oracle.Interval]] = defaultdict(list)
    for interval in oracle.intervals(steps, look, base=base):
        by_partition[interval[0]].append(interval)
    rows = []
    for key, spans in by_partition.items():
        before: Any = None
        for _, state, start, end, following in sorted(spans, key=lambda each: each[2]):
            replicas, adding, removing = state
            runs, ran = bool(adding or removing), before is not None and bool(before[1] or before[2])
            origin = (
                before[0] if before is not None and not ran else tuple(x for x in replicas if x not in adding)
            )
            target = tuple(each for each in replicas if each not in removing)
            places = (*key, origin, target, adding, removing)
            if runs:
                rows.append((*places, *oracle.span(start, end), _outcome(target, end, following)))
            elif before is not None and not ran:
                rows.append((*places, *oracle.span(start, start), "done"))
            before = state
    return rows


def _outcome(target: Row, end: Any, following: Any) -> str:
    if end is None:
        return "running"
    if following is None:
        return "topic deleted"
    if following[1] or following[2]:
        return "replaced"
    return "done" if sorted(following[0]) == sorted(target) else "cancelled"


def features(steps: list[Step]) -> list[Row]:
    """Offset, time, name, old and new level."""
    rows = []
    kraft_version = 0
    for step in steps:
        here = (step.offset, step.timestamp_ms)
        if isinstance(step.record, KRaftVersionRecord) and step.record.kraft_version != kraft_version:
            rows.append((*here, "kraft.version", kraft_version, step.record.kraft_version))
            kraft_version = step.record.kraft_version
        if isinstance(step.record, FeatureLevelRecord):
            name = step.record.name
            old, new = (image.features.get(name, 0) for image in (step.before, step.after))
            rows += [(*here, name, old, new)] if old != new else []
    return rows


def controllers(steps: list[Step]) -> list[Row]:
    """Offset, time, controller, change, incarnation, whether it is ready, endpoints."""
    rows: list[Row] = []
    for step in steps:
        record = step.record
        if isinstance(record, RegisterControllerRecord):
            new = step.after.controllers[record.controller_id]
            endpoints = tuple(
                (each.name, each.host, each.port, _PROTOCOLS[each.security_protocol])
                for each in record.end_points
            )
            rows.append(
                (
                    *(step.offset, step.timestamp_ms, record.controller_id, "registered"),
                    *(uuids.to_text(new.incarnation_id), new.zk_migration_ready, endpoints),
                )
            )
        elif isinstance(record, UnregisterControllerRecord):
            rows.append(
                (step.offset, step.timestamp_ms, record.controller_id, "unregistered", None, None, None)
            )
    return rows


def tokens(steps: list[Step]) -> list[Row]:
    """Offset, time, change, id, owner, requester, renewers, issue, expiration and latest end."""
    rows = []
    for step in steps:
        record = step.record
        if not isinstance(record, DelegationTokenRecord | RemoveDelegationTokenRecord):
            continue
        old, new = (image.delegation_tokens.get(record.token_id) for image in (step.before, step.after))
        shown = new or old
        if shown is None:
            continue
        if new is not None:
            change = "created" if old is None else "renewed"
        else:
            change = "expired" if step.timestamp_ms >= shown.expiration_timestamp_ms else "removed"
        rows.append(
            (
                *(step.offset, step.timestamp_ms, change, record.token_id),
                *(shown.owner, shown.requester, shown.renewers),
                *(shown.issue_timestamp_ms, shown.expiration_timestamp_ms, shown.max_timestamp_ms),
            )
        )
    return rows


def events(steps: list[Step], base: tuple[tuple[int, int], ClusterImage] | None = None) -> list[Row]:
    """Offset, time, epoch, kind, subject, topic, broker, text."""
    epochs = {step.offset: step.epoch for step in steps}
    found = [
        *_quorum(steps),
        *_cluster(steps),
        *_brokers(steps, base),
        *_topics(steps),
        *_leaders(steps),
        *_reassignments(steps, base),
        *_settings(steps),
        *_security(steps),
    ]
    return [(*each[:2], epochs[each[0]], *each[2:]) for each in found]


def _count(number: int, one: str = "partition") -> str:
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def _quorum(steps: list[Step]) -> Iterator[Event]:
    members: dict[tuple[int, bytes], Any] = {}
    seen = set()
    for step in steps:
        here, record = (step.offset, step.timestamp_ms), step.record
        if isinstance(record, LeaderChangeMessage) and step.epoch not in seen:
            text = f"Controller {record.leader_id} became the leader of the quorum in epoch {step.epoch}"
            yield (*here, "leader elected", "quorum", None, None, text)
        seen.add(step.epoch)
        if isinstance(record, VotersRecord):
            new = {(each.voter_id, each.voter_directory_id): each for each in record.voters}
            parts = [
                ("added", [each[0] for each in new if each not in members]),
                ("removed", [each[0] for each in members if each not in new]),
                ("updated", [each[0] for each in new if each in members and new[each] != members[each]]),
            ]
            told = "; ".join(f"{verb} {', '.join(map(str, ids))}" for verb, ids in parts if ids)
            if told:
                yield (*here, "voters changed", "quorum", None, None, f"Voters: {told}")
            members = new


def _cluster(steps: list[Step]) -> Iterator[Event]:
    for offset, at_ms, name, old, new in features(steps):
        text = f"{name} went from level {old} to level {new}"
        yield (offset, at_ms, "feature changed", f"feature {name}", None, None, text)
    for offset, at_ms, controller, change, *_ in controllers(steps):
        text = f"Controller {controller} {change}"
        yield (offset, at_ms, f"controller {change}", f"controller {controller}", None, None, text)
    for step in steps:
        if isinstance(step.record, ClearElrRecord):
            name = step.record.topic_name or None
            subject = "all topics" if name is None else f"topic {name}"
            text = f"Eligible leader replicas of {subject} were cleared"
            yield (step.offset, step.timestamp_ms, "ELR cleared", subject, name, None, text)


def _brokers(steps: list[Step], base: Any) -> Iterator[Event]:
    last: dict[int, Row] = {}
    texts = {"active": "was unfenced", "controlled shutdown": "began a controlled shutdown"}
    kinds = {"active": "unfenced", "controlled shutdown": "in controlled shutdown"}
    rows = oracle.brokers(steps, **({} if base is None else {"base": base}))
    for broker, state, epoch, incarnation, offset, at_ms, *_ in sorted(rows, key=lambda row: row[4]):
        before = last.get(broker)
        last[broker] = (epoch, incarnation)
        if offset < steps[0].offset:
            continue
        if before != (epoch, incarnation) and state != "unregistered":
            kind, text = "registered", "registered" if before is None else "registered again"
        else:
            kind, text = kinds.get(state, state), texts.get(state, f"was {state}")
        yield (
            offset,
            at_ms,
            f"broker {kind}",
            f"broker {broker}",
            None,
            broker,
            f"Broker {broker} {text}",
        )
    told = {
        "failed": "lost log directory {}",
        "missing": "came back without log directory {}",
        "cordoned": "takes no more new replicas into log directory {}",
        "uncordoned": "takes new replicas into log directory {} again",
    }
    for offset, at_ms, broker, event, directory, _, _, _, partition in oracle.directories(steps):
        if partition is None and event in told:
            text = f"Broker {broker} {told[event].format(directory)}"
            yield (offset, at_ms, f"directory {event}", f"broker {broker}", None, broker, text)


def _topics(steps: list[Step]) -> Iterator[Event]:
    for offset, at_ms, name, _, change, old, new, factor in topic_changes(steps):
        kind = f"topic {change}"
        if change == "created":
            replicas = "" if factor is None else f" of replication factor {factor}"
            text = f"Topic {name} was created with {_count(new)}{replicas}"
        elif change == "deleted":
            text = f"Topic {name} was deleted"
        else:
            kind, text = change, f"Topic {name} grew from {old} to {_count(new)}"
        yield (offset, at_ms, kind, f"topic {name}", name, None, text)


def _leaders(steps: list[Step]) -> Iterator[Event]:
    moments: dict[Row, list[Step]] = defaultdict(list)
    for step in steps:
        record = step.record
        if not isinstance(record, PartitionRecord | PartitionChangeRecord):
            continue
        old = step.before.partition(record.topic_id, record.partition_id)
        new = step.after.partition(record.topic_id, record.partition_id)
        assert new is not None
        where = (record.topic_id, step.timestamp_ms)
        if old is not None and (old.leader == -1) != (new.leader == -1):
            moments[(*where, "lost" if new.leader == -1 else "regained")].append(step)
        if (
            isinstance(record, PartitionChangeRecord)
            and record.leader_recovery_state == 1 <= record.leader + 1
        ):
            moments[(*where, "unclean")].append(step)
    for (topic_id, at_ms, what), together in moments.items():
        name = together[0].after.topics[topic_id].name
        count = _count(len(together))
        one = len(together) == 1
        texts = {
            "lost": ("leader lost", "lost its leader" if one else "lost their leader"),
            "regained": ("leader regained", "has a leader again" if one else "have a leader again"),
            "unclean": ("unclean election", "got a leader that was not in sync"),
        }
        kind, verb = texts[what]
        yield (together[0].offset, at_ms, kind, f"topic {name}", name, None, f"{count} of {name} {verb}")


def _reassignments(steps: list[Step], base: Any) -> Iterator[Event]:
    moments: dict[Row, list[tuple[int, Row]]] = defaultdict(list)
    for row in reassignments(steps, base):
        name, topic_id, *_, begin, begin_ms, end, end_ms, _, outcome = row
        if begin >= steps[0].offset and begin != end:
            moments[(name, topic_id, begin_ms, "begun")].append((begin, row))
        if outcome in ("done", "cancelled"):
            moments[(name, topic_id, end_ms, {"done": "ended"}.get(outcome, outcome))].append((end, row))
    verbs = {"begun": "began", "ended": "ended", "cancelled": "was cancelled"}
    for (name, _, at_ms, change), together in moments.items():
        which = f"{len(together)} partitions of {name}"
        if len(together) == 1:
            _, _, partition, origin, target, *_ = together[0][1]
            places = " to ".join(", ".join(map(str, each)) for each in (origin, target))
            which = f"partition {partition} of {name} from replicas {places}"
        text = f"Reassignment of {which} {verbs[change]}"
        offset = min(offset for offset, _ in together)
        yield (offset, at_ms, f"reassignment {change}", f"topic {name}", name, None, text)


def _settings(steps: list[Step]) -> Iterator[Event]:
    for offset, at_ms, resource, name, key, old, new, _, topic_deleted in oracle.config_changes(steps):
        if topic_deleted or old == new:
            continue
        kind = resource.replace("_", " ").lower()
        subject = "all brokers" if (resource, name) == ("BROKER", "") else f"{kind} {name}"
        topic = name if resource == "TOPIC" else None
        broker = int(name) if resource == "BROKER" and name.isdecimal() else None
        is_plain = resource != "BROKER_LOGGER" and key in plain_keys(_RESOURCES[resource])
        shown = [each if each is None or is_plain else "[redacted]" for each in (old, new)]
        text = _setting(f"{key} of {subject}", *shown)
        yield (offset, at_ms, "config changed", f"config {subject}", topic, broker, text)
    for offset, at_ms, parts, key, old, new, _ in oracle.quota_changes(steps):
        if old != new:
            entity = ", ".join(f"{kind}={'<default>' if name is None else name}" for kind, name in parts)
            text = _setting(f"{key} of {entity}", *map(_in_digits, (old, new)))
            yield (offset, at_ms, "quota changed", f"quota {entity}", None, None, text)


def _in_digits(value: float | None) -> str | None:
    return None if value is None else f"{value:f}".rstrip("0").rstrip(".")


def _setting(what: str, old: object, new: object) -> str:
    was = "" if old is None else f" (it was {old})"
    return f"{what} was removed{was}" if new is None else f"{what} was set to {new}{was}"


def _security(steps: list[Step]) -> Iterable[Event]:
    for offset, at_ms, user, mechanism, change in oracle.scram_changes(steps):
        text = f"{mechanism} credential of {user} was {change}"
        yield (offset, at_ms, f"SCRAM credential {change}", f"user {user}", None, None, text)
    for offset, at_ms, change, _, owner, *_ in tokens(steps):
        verb = "has expired and was removed" if change == "expired" else f"was {change}"
        text = f"A delegation token of {owner} {verb}"
        yield (offset, at_ms, f"token {change}", f"token of {owner}", None, None, text)
    yield from _acls(steps)


def _acls(steps: list[Step]) -> Iterator[Event]:
    resources = {
        2: "TOPIC",
        3: "GROUP",
        4: "CLUSTER",
        5: "TRANSACTIONAL_ID",
        6: "DELEGATION_TOKEN",
        7: "USER",
    }
    operations = (
        *("ALL", "READ", "WRITE", "CREATE", "DELETE", "ALTER", "DESCRIBE", "CLUSTER_ACTION"),
        *("DESCRIBE_CONFIGS", "ALTER_CONFIGS", "IDEMPOTENT_WRITE", "CREATE_TOKENS", "DESCRIBE_TOKENS"),
        "TWO_PHASE_COMMIT",
    )
    for step in steps:
        for change, here, there in (
            ("created", step.after, step.before),
            ("removed", step.before, step.after),
        ):
            for acl_id in here.acls if here.acls is not there.acls else ():
                if acl_id in there.acls:
                    continue
                acl = here.acls[acl_id]
                kind = resources[acl.resource_type]
                pattern = {3: "LITERAL", 4: "PREFIXED"}[acl.pattern_type]
                permission = {2: "DENY", 3: "ALLOW"}[acl.permission_type]
                text = (
                    f"ACL {change}: {permission} {acl.principal} {operations[acl.operation - 2]} on "
                    f"{kind} ({pattern}) {acl.resource_name} from host {acl.host}"
                )
                topic = acl.resource_name if (kind, pattern) == ("TOPIC", "LITERAL") else None
                subject = f"{kind.replace('_', ' ').lower()} {acl.resource_name}"
                yield (step.offset, step.timestamp_ms, f"ACL {change}", subject, topic, None, text)
