"""The decoder: every field of every type and version is what kafkaproto's codecs say, in ordinary logs and in damaged
ones; which rows and columns come out; and that ordinary records do not go the slow way.

Tests: `kafkaproto_pipeline.decoding.arrays`, `kafkaproto_pipeline.decoding.common_columns`,
`kafkaproto_pipeline.decoding.fields`, `kafkaproto_pipeline.decoding.frames`, `kafkaproto_pipeline.decoding.payload`,
`kafkaproto_pipeline.decoding.pieces`, `kafkaproto_pipeline.decoding.rows`, `kafkaproto_pipeline.decoding.uuid_text`,
`kafkaproto_pipeline.views.wanted`.
"""

from __future__ import annotations

import dataclasses
import json
import math
import random
import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkaproto import uuids
from kafkaproto.json_form import json_name
from kafkaproto.message import Message
from kafkaproto.messages import (
    ConfigRecord,
    FeatureLevelRecord,
    LeaderChangeMessage,
    NoOpRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RegisterBrokerRecord,
    TopicRecord,
)
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto.schema import FieldSchema, StructSchema
from kafkaproto.snapshot import build_snapshot
from kafkaproto_pipeline.decoding import pieces, rows, scan
from kafkaproto_pipeline.decoding.columns import CorruptInputError, decode
from kafkaproto_pipeline.generated.records import RECORDS
from kafkaproto_pipeline.record_views import RecordView
from kafkaproto_pipeline.views.schema import RECORD_TYPES, RECORD_VIEWS, ViewError
from kafkaproto_pipeline.views.wanted import DROPMALFORMED, FAILFAST
from tests.messages.support.random_messages import drop_unknown_tags
from tests.pipeline.decoder_logs import (
    LOG,
    SNAPSHOT,
    TIME_MS,
    all_types,
    complete_size,
    decoded,
    decoded_slowly,
    encoded,
    random_log,
    random_records,
    record_bytes,
    wanted,
    with_right_crcs,
)


def as_columns(schema: StructSchema, message: Any) -> dict[str, Any]:
    """The attributes of a message as the columns should show them, by kafkaproto's own schema of it."""
    return {
        json_name(field.name): _value(field, getattr(message, field.attribute)) for field in schema.fields
    }


def _value(field: FieldSchema, value: Any) -> Any:
    if value is None:
        return None
    if field.array:
        return [_element(field, element) for element in value]
    return _element(field, value)


def _element(field: FieldSchema, value: Any) -> Any:
    if field.struct is not None:
        return as_columns(field.struct, value)
    return uuids.to_text(value) if field.type == "uuid" else value


def batch(*messages: Message, base_offset: int = 0, **arguments: Any) -> bytes:
    """A batch of metadata records, each at its highest version."""
    entries = [NewRecord(None, encode_metadata_record(message, message.MAX_VERSION)) for message in messages]
    return build_batch(
        entries, **({"base_offset": base_offset, "timestamp_ms": TIME_MS + base_offset} | arguments)
    )


# -- every type and version --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_every_field_of_every_version_is_what_the_codec_decodes(record: RecordView) -> None:
    rng = random.Random(record.name)
    entries = random_records(rng, record, 120)
    for version in range(record.versions[0], record.versions[1] + 1):
        assert version in {found for _, found in entries}
    log = random_log(rng, [(record, *entry) for entry in entries])
    expected = [as_columns(type(message).schema().root, message) for message, _ in entries]
    typed, own = decoded(log, wanted("typed")), decoded(log, wanted(record.name))
    assert [row["recordType"] for row in typed] == [record.name] * 120
    assert [row["recordVersion"] for row in own] == [version for _, version in entries]
    names = [field.name for field in record.fields]
    assert [{name: row[name] for name in names} for row in own] == expected
    if record.fields:
        assert [row[record.name] for row in typed] == expected
    for row in typed:
        assert [name for name in RECORD_TYPES if row.get(name) is not None] == [record.name] * bool(
            record.fields
        )
    for row, (message, version) in zip(decoded(log, wanted("records")), entries, strict=True):
        assert row["payload"] == json.dumps(
            message.to_json(version), separators=(",", ":"), ensure_ascii=False
        )


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.sampled_from([(0,), (0, 1), (2, 3, 4)]))
def test_a_log_of_all_types_is_decoded_as_the_slow_way_does(seed: int, compressions: tuple[int, ...]) -> None:
    rng = random.Random(seed)
    log = random_log(rng, all_types(rng, 60), compressions=compressions)
    for view in ("typed", "records", rng.choice(RECORD_TYPES)):
        want = wanted(view, committed_end=30)
        assert decoded(log, want, next_offset=0) == decoded_slowly(log, want, next_offset=0)


def test_ordinary_records_do_not_go_the_slow_way(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    ordinary = [record for record in RECORDS if record.name != "VotersRecord"]
    records = [
        (record, *entry)
        for record in ordinary
        for entry in random_records(rng, record, 20)
        if "DelegationToken" not in record.name
    ]
    for _, message, _ in records:
        drop_unknown_tags(type(message).schema().root, message)
    rng.shuffle(records)
    log = random_log(rng, list(records), compressions=(0, 0, 0, 1))

    def never(*arguments: object) -> None:
        raise AssertionError("a record went the slow way")

    monkeypatch.setattr(rows.RowReader, "record", never)
    monkeypatch.setattr(rows.RowReader, "batch", never)
    assert len(decoded(log, wanted("typed"))) == len(records)
    with_bytes_or_floats = ("UserScramCredentialRecord", "ClientQuotaRecord")
    plain = [entry for entry in records if entry[0].name not in with_bytes_or_floats]
    assert len(decoded(random_log(rng, list(plain)), wanted("records"))) == len(plain)


def test_long_arrays_and_texts_and_many_records_a_batch() -> None:
    partitions = [
        PartitionRecord(
            partition_id=number,
            replicas=list(range(number % 500)),
            directories=[bytes([number % 256]) * 16] * (number % 300),
        )
        for number in range(1500)
    ]
    topics = [TopicRecord(name="t" * (number * 20)) for number in range(1500)]
    found = decoded(
        batch(*partitions, *topics), wanted("typed", ("offset", "PartitionRecord", "TopicRecord.name"))
    )
    assert [row["offset"] for row in found] == list(range(3000))
    assert [row["PartitionRecord"]["replicas"] for row in found[:1500]] == [m.replicas for m in partitions]
    directories = [row["PartitionRecord"]["directories"] for row in found[:1500]]
    assert directories == [[uuids.to_text(each) for each in m.directories] for m in partitions]
    assert [row["TopicRecord"] for row in found[1500:]] == [{"name": m.name} for m in topics]


# -- damage ------------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.data())
def test_changed_bytes_are_what_the_slow_way_makes_of_them(data: st.DataObject) -> None:
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    log = bytearray(random_log(rng, all_types(rng, 25), compressions=(0, 0, 0, 4)))
    places = record_bytes(bytes(log)) if (is_hidden := data.draw(st.booleans())) else range(len(log))
    for place, octet in data.draw(
        st.lists(st.tuples(st.sampled_from(places), st.integers(0, 255)), min_size=1, max_size=12)
    ):
        log[place] = octet
    changed = with_right_crcs(bytes(log)) if is_hidden else bytes(log)
    some = ("offset", "_corrupt_record", "TopicRecord.topicId", "RegisterBrokerRecord.brokerId", "raw")
    view, columns = data.draw(
        st.sampled_from([("typed", None), ("typed", some), ("ConfigRecord", None), ("records", None)])
    )
    want = wanted(view, columns)
    found = decoded(changed, want, next_offset=0)
    assert repr(found) == repr(decoded_slowly(changed, want, next_offset=0))
    good = [row for row in found if row["_corrupt_record"] is None]
    # Dropped rows are those that PERMISSIVE would show; an error is raised exactly where there are some.
    assert repr(decoded(changed, dataclasses.replace(want, mode=DROPMALFORMED), next_offset=0)) == repr(good)
    if len(good) < len(found):
        with pytest.raises(CorruptInputError, match=r"^/data/__cluster_metadata-0/0{20}\.log: byte [0-9]+"):
            decoded(changed, dataclasses.replace(want, mode=FAILFAST), next_offset=0)
    else:
        assert decoded(changed, dataclasses.replace(want, mode=FAILFAST), next_offset=0) == found


@settings(max_examples=60)
@given(st.binary(max_size=400), st.booleans(), st.booleans())
def test_any_bytes_are_rows_or_damage(junk: bytes, is_before: bool, expects_more: bool) -> None:
    good = batch(NoOpRecord(), NoOpRecord())
    buffer = junk + good if is_before else good + junk
    found = decoded(buffer, wanted("records"), expects_more=expects_more)
    assert [row["offset"] for row in found if row["recordType"] == "NoOpRecord"][:2] == [0, 1]


CHANGE = b"\x01\x05\x02" + bytes(20)
"""A PartitionChangeRecord of version 2 up to its tag section."""
LEADER = b"\x01\x04\0\0\0"
"""Its tag for the leader, but for the last byte of it."""


@pytest.mark.parametrize(
    ("value", "is_good"),
    [
        (CHANGE + b"\0", True),
        (CHANGE + b"\x02" + LEADER + b"\x07" + LEADER + b"\x08", True),  # The same tag twice.
        (CHANGE + b"\x02" + LEADER + b"\x07\x32\x01\xff", True),  # A tag that nobody knows.
        (CHANGE + b"\x80\x80\x00", True),  # Longer than it had to be.
        (CHANGE + b"\x50" + b"\x32\0" * 80, True),
        (CHANGE + b"\x01\x01\x04\xff\xff\xff\xfe", True),  # The default, though it need not be there.
        (CHANGE + b"\x01\x00\x01\x00", True),  # Null, which is the default.
        (CHANGE + b"\x01\x01\x05\0\0\0\x07\0", False),  # A tag with more in it than its value.
        (CHANGE + b"\x01\x01\x03\0\0\0", False),
        (CHANGE + b"\0\0", False),  # A byte behind the record.
        (CHANGE + b"\x01", False),
        (
            CHANGE.replace(b"\x05\x02", b"\x05\0") + b"\x01\x06\x05\x02\0\0\0\x07",
            False,
        ),  # A tag that the version lacks.
        (b"\x01\x02\0\x02t" + bytes(17), True),
        (b"\x01\x02\0\0" + bytes(17), False),  # No name.
        (b"\x01\x02\0\xc1\xb8\x02" + b"t" * 40_000 + bytes(17), False),  # A name too long.
        (b"\x01\x02\0\xff\xff\xff\xff\xff\x01" + bytes(17), False),  # A length that is none.
        (b"\x01\x0a\0\x02o\x02r\x65" + b"\x02x" * 100 + bytes(24) + b"\x02i\0", True),  # Many elements.
        (b"\x01\x0a\0\x02o\x02r\x02\0" + bytes(24) + b"\x02i\0", False),  # An element that is null.
        (b"\x01\x03\0" + bytes(20) + b"\0\x01\x01\x01" + bytes(12) + b"\0", False),  # No replicas.
        (b"\x01\x0e\0\x02\x02u\x02a\x01\x07\x01x\x02k" + bytes(10), True),  # A tag in an element.
        (b"\x01\x14\x00\0", True),
        (b"\x02\x14\x00\0", False),
        (b"\x81\x00\x14\x00\0", True),
        (b"\x01", False),
        (b"", False),
    ],
)
def test_each_rule_for_records_is_kept(value: bytes, is_good: bool) -> None:
    noise = encode_metadata_record(TopicRecord(name="t"), 0)
    entries = [NewRecord(None, noise), NewRecord(None, value), NewRecord(None, noise)]
    log = build_batch(entries, base_offset=0, timestamp_ms=TIME_MS)
    for view in ("typed", "records"):
        found = decoded(log, wanted(view))
        assert found == decoded_slowly(log, wanted(view))
        assert [row["_corrupt_record"] is None for row in found] == [True, is_good, True]


NOISE = encode_metadata_record(TopicRecord(name="t"), 0)


@pytest.mark.parametrize(
    ("record", "is_good"),
    [
        (NewRecord(None, NOISE, (("header", b"value"),)), True),
        (NewRecord(b"key", NOISE), True),
        (NewRecord(None, NOISE, (), TIME_MS - 20_000), True),
        (NewRecord(None, NOISE, (), TIME_MS + 10**12), True),
        (NewRecord(None, None), False),
    ],
)
def test_records_of_a_rare_form(record: NewRecord, is_good: bool) -> None:
    log = build_batch([NewRecord(None, NOISE), record], base_offset=5, timestamp_ms=TIME_MS)
    found = decoded(log, wanted("typed"))
    assert found == decoded_slowly(log, wanted("typed"))
    assert [row["_corrupt_record"] is None for row in found] == [True, is_good]
    assert [row["offset"] for row in found] == [5, 6]
    expected = TIME_MS if record.timestamp_ms is None else record.timestamp_ms
    assert found[1]["timestamp"].timestamp() * 1000 == expected


@pytest.mark.parametrize(
    ("place", "octet", "corrupt"),
    [
        (0, 0x36, 1),  # A length that is one less: the next record is not where it was.
        (0, 0x37, 1),  # A negative one.
        (1, 0x01, 0),  # Attributes, which nobody reads.
        (3, 0x12, 1),  # An offset beyond the batch's last.
        (3, 0x01, 1),  # One below its first.
        (4, 0x03, 1),  # A key of less than no bytes.
        (5, 0x03, 1),  # A value of less than no bytes.
        (-1, 0x02, 1),  # A header, of which nothing is there.
    ],
)
def test_a_record_that_does_not_fit_its_batch(place: int, octet: int, corrupt: int) -> None:
    log = bytearray(build_batch([NewRecord(None, NOISE)] * 2, base_offset=5, timestamp_ms=TIME_MS))
    assert log[61] == 0x38
    log[61 + place if place >= 0 else place] = octet
    changed = with_right_crcs(bytes(log))
    found = decoded(changed, wanted("typed"))
    assert found == decoded_slowly(changed, wanted("typed"))
    assert sum(row["_corrupt_record"] is not None for row in found) == corrupt


def test_a_record_that_does_not_parse_is_one_corrupt_row() -> None:
    values = [encode_metadata_record(TopicRecord(name=name), 0) for name in ("a", "b", "c")]
    values[1] = values[1].replace(b"b", b"\xff")
    log = build_batch([NewRecord(None, value) for value in values], base_offset=7, timestamp_ms=TIME_MS)
    found = decoded(log, wanted("TopicRecord"), position=1000)
    assert [row["name"] for row in found] == ["a", None, "c"]
    assert [row["offset"] for row in found] == [7, 8, 9]
    assert found[1]["_corrupt_record"] == {
        "file": LOG.file,
        "position": 1000,
        "offset": 8,
        "reason": "TopicRecord.name: is not UTF-8",
    }
    assert found[1]["recordType"] == "TopicRecord"
    message = r"^/data/__cluster_metadata-0/0{20}\.log: byte 1000, offset 8: TopicRecord\.name: is not UTF-8$"
    with pytest.raises(CorruptInputError, match=message):
        decoded(log, wanted("TopicRecord", mode=FAILFAST), position=1000)
    # Who asks for neither the field nor for damage does not look.
    assert len(decoded(log, wanted("TopicRecord", ("offset",)), position=1000)) == 3
    assert [
        row["offset"] for row in decoded(log, wanted("TopicRecord", ("offset",), mode=DROPMALFORMED))
    ] == [7, 9]


def test_types_and_versions_that_are_not_known_are_kept_as_they_are() -> None:
    newer = b"\x01\x02\x63newer"
    unknown_type = b"\x01\xac\x02\x00stranger"
    entries = [NewRecord(None, value) for value in (newer, unknown_type)]
    log = build_batch(entries, base_offset=0, timestamp_ms=TIME_MS) + build_batch(
        [NewRecord(b"\0\0\0\x4d", b"\0\x05future")], base_offset=2, timestamp_ms=TIME_MS, control=True
    )
    found = decoded(log, wanted("typed"))
    kept = [(row["recordType"], row["recordVersion"], row["raw"], row["isControl"]) for row in found]
    assert kept == [
        ("TopicRecord", 0x63, newer, False),
        ("300", 0, unknown_type, False),
        ("77", 5, b"\0\x05future", True),
    ]
    assert [row["_corrupt_record"] for row in found] == [None] * 3
    assert [row["TopicRecord"] for row in found] == [None] * 3
    assert [row["offset"] for row in decoded(log, wanted("TopicRecord"))] == [0]
    assert decoded(log, wanted("typed", record_types=("PartitionRecord",))) == []


# -- which rows and columns --------------------------------------------------------------------------------------------


def test_the_columns_that_every_view_has() -> None:
    log = batch(NoOpRecord(), TopicRecord(name="t"), base_offset=40, partition_leader_epoch=9)
    control = encoded(RECORD_VIEWS["LeaderChangeMessage"], LeaderChangeMessage(leader_id=3), 0)
    log += build_batch([control], base_offset=42, timestamp_ms=-1, control=True, partition_leader_epoch=10)
    first, _, last = decoded(log, wanted("records", committed_end=41))
    assert first.pop("timestamp").timestamp() * 1000 == TIME_MS + 40
    assert first == {
        "clusterId": "cluster",
        "nodeId": 1,
        "directory": "/data/__cluster_metadata-0",
        "directoryId": "AAAAAAAAAAAAAAAAAAAAAg",
        "file": "00000000000000000000.log",
        "source": "log",
        "offset": 40,
        "snapshotIndex": None,
        "partitionLeaderEpoch": 9,
        "isControl": False,
        "recordType": "NoOpRecord",
        "recordVersion": 0,
        "committed": True,
        "payload": "{}",
        "raw": None,
        "_corrupt_record": None,
    }
    assert (last["committed"], last["isControl"], last["timestamp"]) == (False, True, None)
    assert json.loads(last["payload"]) == {"version": 0, "leaderId": 3, "voters": [], "grantingVoters": []}


def test_a_snapshot_s_rows_stand_at_its_last_offset_and_at_the_time_of_its_header() -> None:
    topic = encode_metadata_record(TopicRecord(name="t"), 0)
    parts = build_snapshot([topic] * 3, epoch=3, timestamp_ms=5, last_contained_log_timestamp=TIME_MS)
    buffer = b"".join(parts)
    found = decoded(buffer, wanted("typed"), SNAPSHOT)
    assert [row["recordType"] for row in found] == [
        "SnapshotHeaderRecord", "TopicRecord", "TopicRecord", "TopicRecord", "SnapshotFooterRecord",
    ]  # fmt: skip
    assert [row["snapshotIndex"] for row in found] == [0, 1, 2, 3, 4]
    for row in found:
        assert (row["offset"], row["partitionLeaderEpoch"], row["committed"]) == (99, 3, True)
        assert row["timestamp"].timestamp() * 1000 == TIME_MS
    assert decoded(buffer, wanted("typed", start_offset=100), SNAPSHOT) == []
    assert decoded(buffer, wanted("typed", end_timestamp_ms=TIME_MS), SNAPSHOT) == []
    # One that ends at 0 is part of what begins at 0.
    first = dataclasses.replace(SNAPSHOT, snapshot=(0, 0))
    assert [row["offset"] for row in decoded(buffer, wanted("typed"), first)] == [-1] * 5
    assert decoded(buffer, wanted("typed", start_offset=1), first) == []
    middle = complete_size(buffer[:-1])
    later = dataclasses.replace(SNAPSHOT, snapshot_timestamp_ms=TIME_MS)
    assert decoded(buffer[middle:], wanted("typed"), later) == found[4:]


def test_rows_in_a_range_of_offsets_times_and_types() -> None:
    log = b"".join(
        batch(NoOpRecord(), TopicRecord(name=f"t{offset}"), ConfigRecord(name="n"), base_offset=offset)
        for offset in range(0, 300, 3)
    )
    everything = decoded(log, wanted("typed"))

    def expected(condition: Any) -> list[dict[str, Any]]:
        return [row for row in everything if condition(row)]

    ranged = decoded(log, wanted("typed", start_offset=100, end_offset=200))
    assert ranged == expected(lambda row: 100 <= row["offset"] < 200)
    times = wanted("typed", start_timestamp_ms=TIME_MS + 30, end_timestamp_ms=TIME_MS + 60)
    assert decoded(log, times) == expected(lambda row: 30 <= row["offset"] < 60)
    types = wanted("typed", record_types=("TopicRecord", "ConfigRecord"))
    assert decoded(log, types) == expected(lambda row: row["recordType"] in ("TopicRecord", "ConfigRecord"))
    assert decoded(log, wanted("TopicRecord", record_types=("ConfigRecord",))) == []


def test_columns_come_in_the_order_in_which_they_are_named() -> None:
    log = batch(PartitionChangeRecord(partition_id=4, leader=2, isr=[2]), FeatureLevelRecord(name="f"))
    columns = ("PartitionChangeRecord.isr", "offset", "PartitionChangeRecord.leader", "FeatureLevelRecord")
    assert decoded(log, wanted("typed", columns)) == [
        {"PartitionChangeRecord": {"isr": [2], "leader": 2}, "offset": 0, "FeatureLevelRecord": None},
        {"PartitionChangeRecord": None, "offset": 1, "FeatureLevelRecord": {"name": "f", "featureLevel": 0}},
    ]
    assert list(decoded(log, wanted("PartitionChangeRecord", ("leader", "offset")))[0]) == [
        "leader",
        "offset",
    ]
    for view, column in (
        ("typed", "leader"),
        ("typed", "TopicRecord.leader"),
        ("TopicRecord", "name.length"),
    ):
        with pytest.raises(ViewError, match=column.rpartition(".")[2]):
            decoded(log, wanted(view, (column,)))


def test_what_is_not_wanted_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    log = batch(RegisterBrokerRecord(broker_id=3), PartitionRecord(partition_id=5))
    seen: list[str] = []
    original = decode.__globals__["locate"]

    def locate(fields: Any, *arguments: Any) -> Any:
        seen.append(fields[0].name)
        return original(fields, *arguments)

    monkeypatch.setitem(decode.__globals__, "locate", locate)
    found = decoded(log, wanted("typed", ("offset", "PartitionRecord.partitionId")))
    assert [row["PartitionRecord"] for row in found] == [None, {"partitionId": 5}]
    assert seen == ["partitionId"]


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(0, 2**16), st.sampled_from([40, 400, scan.STEP_BYTES]))
def test_any_split_of_the_bytes_gives_the_same_rows(seed: int, place: int, step_bytes: int) -> None:
    rng = random.Random(seed)
    log = random_log(rng, all_types(rng, 40), compressions=(0, 0, 1))
    place = record_bytes(log)[len(log) // 4]
    log = with_right_crcs(log[:place] + b"\xff" + log[place + 1 :])
    whole = decoded(log, wanted("typed"), next_offset=0)
    cut = place % len(log)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "STEP_BYTES", step_bytes)
        patch.setattr(pieces, "PIECE_BYTES", 300)
        patch.setitem(decode.__globals__, "MAX_ROWS", 7)
        head = decoded(log[:cut], wanted("typed"), next_offset=0, expects_more=True)
        size = complete_size(log[:cut])
        tail = decoded(log[size:], wanted("typed"), position=size, next_offset=len(head))
    assert head + tail == whole


def test_texts_are_escaped_as_json_wants_it() -> None:
    texts = ["plain", 'a "quoted" one', "back\\slash", "line\nbreak", "\x00", "\x7f größe 🙂", ""]
    messages: list[Message] = [TopicRecord(name=text) for text in texts]
    messages += [
        RegisterBrokerRecord(end_points=[RegisterBrokerRecord.BrokerEndpoint(host=text)]) for text in texts
    ]
    found = decoded(batch(*messages), wanted("records"))
    for row, message in zip(found, messages, strict=True):
        assert json.loads(row["payload"]) == message.to_json(message.MAX_VERSION)


def test_a_number_that_is_none_is_shown_as_it_is() -> None:
    quota = RECORD_VIEWS["ClientQuotaRecord"]
    ((message, version),) = random_records(random.Random(0), quota, 1)
    message.value = math.nan  # type: ignore[attr-defined]
    log = build_batch([encoded(quota, message, version)], base_offset=0, timestamp_ms=TIME_MS)
    (row,) = decoded(log, wanted("typed"))
    assert math.isnan(row["ClientQuotaRecord"]["value"])
    (row,) = decoded(log, wanted("records"))
    assert json.loads(row["payload"])["value"] == "NaN"


def test_damage_is_told_once_where_rows_come_in_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [batch(*[NoOpRecord()] * 5, base_offset=offset) for offset in (0, 5, 10)]
    log = parts[0] + parts[1][:-1] + b"?" + parts[2]
    whole = decoded(log, wanted("typed"), next_offset=0)
    assert [row["offset"] for row in whole] == [0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14]
    monkeypatch.setitem(decode.__globals__, "MAX_ROWS", 2)
    assert decoded(log, wanted("typed"), next_offset=0) == whole


def calls_to_decode(data: bytes, view: str) -> int:
    """How many functions are called to decode a log, apart from the loop that looks for the records of few batches."""
    calls = 0

    def noted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"} and frame.f_code.co_name != "_loop"

    want = wanted(view)
    sys.setprofile(noted)
    try:
        for _ in decode(data, origin=LOG, wanted=want, position=0, next_offset=None, expects_more=False):
            pass
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("view", ["typed", "records", "PartitionRecord"])
def test_more_records_are_not_more_calls(view: str) -> None:
    few, many = (
        batch(*(PartitionRecord(partition_id=each, replicas=[1, 2, 3]) for each in range(count)))
        for count in (200, 2000)
    )
    # The first time, numpy and Arrow may import and keep something.
    calls_to_decode(few, view)
    assert calls_to_decode(many, view) < calls_to_decode(few, view) + 20
