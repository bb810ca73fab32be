"""The one pass of `consistency` on a few rows made by hand: which disagreement is a difference, and who is wrong.

Tests: `kafkaproto_pipeline.jobs.consistency.replay`, `kafkaproto_pipeline.jobs.consistency.rows`.
"""

from __future__ import annotations

import json

from kafkaproto.messages import RegisterBrokerRecord, UserScramCredentialRecord
from kafkaproto_pipeline.jobs.consistency import rows as kinds
from kafkaproto_pipeline.jobs.consistency.check import check
from kafkaproto_pipeline.jobs.consistency.rows import Content, Finding, SortedRow

LEADER, NO_OP = "LeaderChangeMessage", "NoOpRecord"


def log(node: int, *epochs: int, start: int = 0, value: str = "{}", at: int | None = None) -> list[SortedRow]:
    """A log whose records are of these epochs, each begun by its leader; ``value`` is what stands at one offset."""
    made = []
    for offset, epoch in enumerate(epochs, start):
        is_first = offset == start or epochs[offset - start - 1] != epoch
        payload = value if offset == at else json.dumps({"leaderId": epoch} if is_first else {})
        name = LEADER if is_first else NO_OP
        made.append(row(node, offset, epoch, name, payload))
    return made


def row(node: int, offset: int, epoch: int, name: str = NO_OP, payload: str = "{}") -> SortedRow:
    return SortedRow(
        "c", offset, False, f"/{node}", "0.log", -1, node, epoch, name, 0, payload, None, None, None
    )


def snapshot(node: int, end: int, epoch: int, *payloads: str) -> list[SortedRow]:
    file = f"{end}.checkpoint"
    return [
        SortedRow(
            "c",
            end - 1,
            True,
            f"/{node}",
            file,
            index,
            node,
            epoch,
            "FeatureLevelRecord",
            0,
            text,
            None,
            None,
            None,
        )
        for index, text in enumerate(payloads)
    ]


def damage(node: int, offset: int, reason: str) -> SortedRow:
    return SortedRow(
        "c", offset, False, f"/{node}", "0.log", -1, node, None, None, None, None, None, 99, reason
    )


def checked(*logs: list[SortedRow]) -> list[Finding]:
    return list(check(sorted((row for each in logs for row in each), key=lambda row: row[:6])))


def differences(*logs: list[SortedRow]) -> list[tuple[str | None, int | None, int | None]]:
    found = [each for each in checked(*logs) if each.table == kinds.DIFFERENCE]
    return [(each.kind, each.node_id, each.offset) for each in found]


def agreements(*logs: list[SortedRow]) -> dict[int | None, int | None]:
    """How far each replica agrees with the most advanced one."""
    return {each.node_id: each.agrees_to for each in checked(*logs) if each.table == kinds.REPLICA}


def test_equal_logs_differ_in_nothing_however_long_they_are() -> None:
    assert differences(log(1, 1, 1, 2, 2, 2), log(2, 1, 1, 2), log(3, 1)) == []


def test_same_epoch_with_another_record_is_a_difference_also_at_the_end() -> None:
    wrong = log(2, 1, 1, 1, value='{"x":1}', at=2)
    assert differences(log(1, 1, 1, 1), wrong, log(3, 1, 1, 1)) == [(kinds.DIFFERENT_RECORD, 2, 2)]


def test_of_two_the_one_that_is_further_is_right() -> None:
    wrong = log(1, 1, 1, 1, value='{"x":1}', at=1)
    assert differences(wrong, log(2, 1, 1, 1, 1)) == [(kinds.DIFFERENT_RECORD, 1, 1)]
    assert differences([*wrong, row(1, 3, 1), row(1, 4, 1)], log(2, 1, 1, 1, 1)) == [
        (kinds.DIFFERENT_RECORD, 2, 1)
    ]


def test_tails_of_leaders_that_lost_are_no_difference() -> None:
    assert differences(log(1, 1, 1, 2, 2, 2), log(2, 1, 1, 3, 3), log(3, 1, 1, 4)) == []
    # As many hold the lost tail as hold what counts.
    assert differences(log(1, 1, 2, 2), log(2, 1, 2, 2), log(3, 1, 3, 3), log(4, 1, 3, 3)) == []


def test_epochs_that_meet_again_are_a_difference() -> None:
    first = [row(3, 1, 2, LEADER), row(3, 2, 4, LEADER, '{"leaderId": 4}')]
    rest = [log(1, 1, 1, 4), log(2, 1, 1, 4)]
    assert differences(*rest, [*log(3, 1), *first]) == [(kinds.DIFFERENT_EPOCH, 3, 1)]


def test_epoch_that_nobody_was_elected_in_is_a_difference_where_nobody_shares_it() -> None:
    assert differences(log(1, 1, 1), [*log(2, 1), row(2, 1, 2)]) == [(kinds.DIFFERENT_EPOCH, 2, 1)]
    assert differences(log(1, 2, 2), [*log(2, 2), row(2, 1, 1)]) == [(kinds.DIFFERENT_EPOCH, 2, 1)]
    assert differences([*log(1, 1), row(1, 1, 2)], [*log(2, 1), row(2, 1, 2)]) == []


def test_tail_against_a_snapshot_is_a_difference_where_the_tail_is_of_later_epochs() -> None:
    stands = snapshot(1, 3, 2, '{"name":"metadata.version","featureLevel":7}')
    later, earlier = log(2, 1, 3, 3), log(2, 1, 1, 1)
    content = [kinds.SNAPSHOT_DIFFERS_FROM_LOG]
    assert {each for each in differences(log(1, 1, 2, 2), stands, later) if each[0] not in content} == {
        (kinds.DIFFERENT_EPOCH, 2, 1),
        (kinds.DIFFERENT_EPOCH, 2, 2),
    }
    assert [each for each in differences(log(1, 1, 2, 2), stands, earlier) if each[0] not in content] == []


def test_gaps_duplicates_and_damage_are_told_once() -> None:
    whole = log(1, 1, 1, 1, 1)
    short = [each for each in log(2, 1, 1, 1, 1) if each.offset != 2]
    assert differences(whole, short) == [(kinds.MISSING_RECORD, 2, 2)]
    assert differences(whole, [*short, damage(2, 2, "a gap: offsets 2 to 2 are missing")]) == [
        (kinds.MISSING_RECORD, 2, 2)
    ]
    assert differences(whole, [*short, damage(2, 2, "the crc is wrong")]) == [(kinds.CORRUPT_BATCH, 2, 2)]
    assert differences(whole, [*log(2, 1, 1, 1), row(2, 1, 1)]) == [(kinds.EXTRA_RECORD, 2, 1)]


CUT = "the bytes end inside a record batch: it claims 9, 3 are left"
TORN = f"a torn end: {CUT}"


def test_torn_end_is_a_kind_of_its_own_and_corrupt_if_anything_follows() -> None:
    whole = log(1, 1, 1, 1, 1)
    assert differences(whole, [*log(2, 1, 1), damage(2, 2, TORN)]) == [(kinds.TORN_END, 2, 2)]
    cut = [*log(2, 1, 1), damage(2, 2, CUT), row(2, 3, 1)]
    assert differences(whole, cut) == [(kinds.CORRUPT_BATCH, 2, 2)]


def test_each_damage_is_a_row_of_its_own() -> None:
    ends = [damage(2, 2, CUT), damage(2, 2, TORN)._replace(file="2.log"), damage(3, 1, TORN)]
    assert differences(log(1, 1, 1, 1, 1), [*log(2, 1, 1), *ends[:2]], [*log(3, 1), ends[2]]) == [
        (kinds.TORN_END, 3, 1),
        (kinds.CORRUPT_BATCH, 2, 2),
        (kinds.TORN_END, 2, 2),
    ]


def test_a_wrong_epoch_is_told_once_whoever_notices_it() -> None:
    reason = "the epoch of a record batch is 5: that before is 1"
    whole = log(2, 1, 1, 1)
    odd = [damage(2, 1, reason), whole[0], whole[1]._replace(epoch=5), whole[2]]
    assert differences(odd) == [(kinds.DIFFERENT_EPOCH, 2, 1)]
    assert differences(log(1, 1, 1, 1), odd, log(3, 1, 1, 1)) == [(kinds.DIFFERENT_EPOCH, 2, 1)]


def test_a_replica_agrees_up_to_its_first_difference() -> None:
    whole = log(1, 1, 1, 1, 1, 1)
    other = log(2, 1, 1, 1, 1, value='{"x":1}', at=2)
    assert agreements(whole, log(2, 1, 1, 1), log(3, 1, 1, 1, 1)) == {1: 5, 2: 3, 3: 4}
    assert agreements(whole, other, log(3, 1, 1, 1)) == {1: 5, 2: 2, 3: 3}
    corrupt = [damage(1, 1, "the crc is wrong"), *(each for each in whole if each.offset != 1)]
    assert agreements(corrupt, log(2, 1, 1, 1)) == {1: 1, 2: 3}
    assert agreements(whole, [each for each in log(2, 1, 1, 1, 1) if each.offset != 3]) == {1: 5, 2: 3}
    assert agreements(whole, log(2, 1, 1, 1, 1, 1)[3:]) == {1: 5, 2: 0}


def test_a_wrong_snapshot_does_not_make_its_log_disagree() -> None:
    text = '{"name":"a","featureLevel":1}'
    logs = [log(1, 1, start=5), log(2, 1, start=5)]
    assert agreements(*logs, snapshot(1, 5, 1, text), snapshot(2, 5, 1)) == {1: 6, 2: 0}
    same = snapshot(2, 5, 1, text, text)
    assert agreements(*logs, snapshot(1, 5, 1, text), same) == {1: 6, 2: 6}


def test_of_long_records_the_part_that_differs_is_shown() -> None:
    same = "x" * 500
    one, other = (Content("TopicRecord", 0, f'{{"a":"{same}","b":{end}}}', None) for end in (1, 2))
    assert one.shown(other) == f'TopicRecord ...{"x" * 192}","b":1}}'
    early = Content("TopicRecord", 0, f'{{"c":"{same}"}}', None)
    assert early.shown(one) == f'TopicRecord {{"c":"{"x" * 194}...'
    assert early.shown() == early.shown(one)
    middle = [Content("TopicRecord", 0, same + each + same, None) for each in "ab"]
    assert middle[0].shown(middle[1]) == f"TopicRecord ...{'x' * 60}a{'x' * 139}..."
    found = checked(
        log(1, 1, 1, 1, value=middle[0].payload or "", at=1),
        log(2, 1, 1, 1, 1, value=middle[1].payload or "", at=1),
    )
    (text,) = (each.text or "" for each in found if each.table == kinds.DIFFERENCE)
    assert "xa" in text
    assert "xb" in text


def test_differences_show_no_secrets_and_those_of_secrets_alone_are_found() -> None:
    def credential(salt: str) -> Content:
        record = UserScramCredentialRecord(name="alice", mechanism=1, salt=salt.encode(), iterations=4096)
        return Content("UserScramCredentialRecord", 0, json.dumps(record.to_json(0)), None)

    one, other = credential("hunter2"), credential("hunter3")
    salts = [json.loads(each.payload or "")["salt"] for each in (one, other)]
    logs = [[*log(node, 1), row(node, 1, 1, one.record_type, one.payload or "")] for node in (1, 2, 3)]
    logs[2][-1] = row(3, 1, 1, other.record_type, other.payload or "")
    held = [
        [each._replace(record_type=one.record_type) for each in snapshot(node, 2, 1, content.payload or "")]
        for node, content in ((1, one), (2, other))
    ]
    found = [each for each in checked(*logs, *held) if each.table == kinds.DIFFERENCE]
    assert {(each.kind, each.node_id) for each in found} == {
        (kinds.DIFFERENT_RECORD, 3),
        (kinds.SNAPSHOT_DIFFERS_FROM_LOG, 2),
        (kinds.SNAPSHOT_DIFFERS_FROM_SNAPSHOT, 2),
    }
    for each in found:
        assert "[redacted]" in (each.text or "")
        assert not any(salt in (each.text or "") for salt in salts)


def test_order_within_a_registration_is_no_difference() -> None:
    """Apache Kafka's snapshots have a broker's features and endpoints in another order than its log."""
    features = [
        RegisterBrokerRecord.BrokerFeature(name=name, min_supported_version=0, max_supported_version=level)
        for name, level in (("metadata.version", 7), ("kraft.version", 1))
    ]

    def registration(order: int, rack: str = "a") -> str:
        record = RegisterBrokerRecord(broker_id=5, rack=rack, features=features[::order])
        return json.dumps(record.to_json(0))

    written = [*log(1, 1), row(1, 1, 1, "RegisterBrokerRecord", registration(1))]

    def held(payload: str, node: int = 1) -> list[SortedRow]:
        return [each._replace(record_type="RegisterBrokerRecord") for each in snapshot(node, 2, 1, payload)]

    assert differences(written, held(registration(-1))) == []
    assert set(differences(written, held(registration(-1, "b")))) == {(kinds.SNAPSHOT_DIFFERS_FROM_LOG, 1, 1)}
    begun_later = log(2, 1, start=2)
    assert differences(written, begun_later, held(registration(-1)), held(registration(1), node=2)) == []


def test_state_of_a_migration_from_zookeeper_is_none() -> None:
    """Apache Kafka 3.9 writes it into every snapshot, 4.0 drops it."""
    logs = [log(1, 1, start=5), log(2, 1, start=5)]
    old, new = snapshot(1, 5, 1, '{"zkMigrationState":0}', "{}"), snapshot(2, 5, 1, "{}")
    old[0] = old[0]._replace(record_type="ZkMigrationStateRecord")
    assert differences(*logs, old, [each._replace(snapshot_index=1) for each in new]) == []


def test_snapshots_of_one_offset_are_compared_as_heaps() -> None:
    one, other = ('{"name":"a","featureLevel":1}', '{"name":"b","featureLevel":2}')
    logs = [log(1, 1, start=5), log(2, 1, start=5), log(3, 1, start=5)]
    same = [snapshot(1, 5, 1, one, other), snapshot(2, 5, 1, other, one)]
    assert differences(*logs, *same, snapshot(3, 5, 1, one, other)) == []
    lacking = differences(*logs, *same, snapshot(3, 5, 1, one))
    assert lacking == [(kinds.SNAPSHOT_DIFFERS_FROM_SNAPSHOT, 3, 4)]
    doubled = differences(*logs, *same, snapshot(3, 5, 1, one, other, other))
    assert doubled == [(kinds.SNAPSHOT_DIFFERS_FROM_SNAPSHOT, 3, 4)]
    of_another_epoch = differences(*logs, *same, snapshot(3, 5, 2, one, other))
    assert of_another_epoch == [(kinds.SNAPSHOT_DIFFERS_FROM_SNAPSHOT, 3, 4)]
