"""Synthetic histories: valid files, records that fit together, the same bytes for the same seed.

Tests: `kafkaproto_pipeline.synthetic.brokers`, `kafkaproto_pipeline.synthetic.cluster`,
`kafkaproto_pipeline.synthetic.command_line`, `kafkaproto_pipeline.synthetic.files`,
`kafkaproto_pipeline.synthetic.history`, `kafkaproto_pipeline.synthetic.log`, `kafkaproto_pipeline.synthetic.quorum`,
`kafkaproto_pipeline.synthetic.settings`, `kafkaproto_pipeline.synthetic.topics`,
`kafkaproto_pipeline.synthetic.world`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from compat.kafka.tools import run_tool
from kafkaproto.log import (
    OFFSET_INDEX_SUFFIX,
    TIME_INDEX_SUFFIX,
    BatchScan,
    StopReason,
    iterate_offset_index,
    iterate_time_index,
    parse_segment_file_name,
    segment_file_name,
)
from kafkaproto.messages import BrokerRegistrationChangeRecord, RegisterBrokerRecord
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto.snapshot import parse_snapshot_file_name, read_snapshot
from kafkaproto_pipeline.progress_lines import ProgressLines
from kafkaproto_pipeline.synthetic import HistoryOptions, Made, generate
from kafkaproto_pipeline.synthetic.command_line import main
from kafkaproto_server.metadata.image.digest import digest
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.loader import MetadataLoader
from kafkaproto_server.metadata.image.snapshot import image_from_values

SMALL = HistoryOptions(seed=3, records=3000, brokers=6, partitions=40)
RARE = {"BeginTransactionRecord", "EndTransactionRecord", "AbortTransactionRecord", "FeatureLevelRecord"}
USUAL = {
    "AccessControlEntryRecord",
    "BrokerRegistrationChangeRecord",
    "ClientQuotaRecord",
    "ConfigRecord",
    "DelegationTokenRecord",
    "NoOpRecord",
    "PartitionChangeRecord",
    "PartitionRecord",
    "ProducerIdsRecord",
    "RegisterBrokerRecord",
    "RegisterControllerRecord",
    "RemoveAccessControlEntryRecord",
    "RemoveDelegationTokenRecord",
    "RemoveTopicRecord",
    "RemoveUserScramCredentialRecord",
    "TopicRecord",
    "UserScramCredentialRecord",
}


def log_of(node: Path) -> Path:
    return node / "__cluster_metadata-0"


def segments(node: Path) -> list[tuple[int, bytes]]:
    found = []
    for path in sorted(log_of(node).glob("*.log")):
        base_offset = parse_segment_file_name(path.name)
        assert base_offset is not None, path
        found.append((base_offset, path.read_bytes()))
    return found


def batches(node: Path) -> Iterator[RecordBatchView]:
    """Every batch of every segment, none of them damaged, each offset once."""
    next_offset = 0
    for base_offset, data in segments(node):
        assert base_offset == next_offset
        scan = BatchScan(data, next_offset=next_offset)
        for batch in scan:
            assert batch.base_offset == next_offset
            next_offset = batch.next_offset
            yield batch
        assert scan.stop_reason is StopReason.END, scan.fault


def replayed(node: Path) -> tuple[ClusterImage, dict[int, bytes], Counter[str]]:
    """The image at the end, the digest at each snapshot's offset, and how many records of what type."""
    loader = MetadataLoader()
    wanted = snapshots(node)
    digests = {}
    types: Counter[str] = Counter()
    for batch in batches(node):
        if batch.base_offset in wanted:
            assert not loader.in_transaction
            digests[batch.base_offset] = digest(loader.image)
        position = {"epoch": batch.partition_leader_epoch, "timestamp_ms": batch.max_timestamp}
        if batch.is_control:
            loader.load_control_batch(last_offset=batch.last_offset, **position)
            continue
        records = [decode_metadata_record(record.value or b"")[0] for record in batch.records()]
        types.update(record.NAME for record in records)
        loader.load_batch(base_offset=batch.base_offset, records=records, **position)
    return loader.image, digests, types


def snapshots(node: Path) -> dict[int, Path]:
    found = {}
    for path in log_of(node).glob("*.checkpoint"):
        snapshot_id = parse_snapshot_file_name(path.name)
        assert snapshot_id is not None, path
        found[snapshot_id.end_offset] = path
    return found


def digest_of_snapshot(path: Path) -> bytes:
    values = [record for record in read_snapshot(path.read_bytes()) if isinstance(record, bytes)]
    return digest(image_from_values(values, offset=0, epoch=0, timestamp_ms=0))


def partitions(image: ClusterImage) -> Iterator[PartitionImage]:
    for topic in image.topics_in_order():
        yield from (partition for _, partition in topic.partitions_in_order())


def test_replays_to_the_state_that_its_snapshots_and_its_maker_say(synthetic_history: Made) -> None:
    image, digests, types = replayed(synthetic_history.nodes[0])
    found = snapshots(synthetic_history.nodes[0])
    assert len(found) >= 4
    assert {offset: digest_of_snapshot(path) for offset, path in found.items()} == digests
    assert set(types) >= USUAL
    assert len(list(image.brokers_in_order())) == 6


@pytest.mark.parametrize("seed", range(4))
def test_every_seed_replays_to_what_its_maker_says(seed: int, tmp_path: Path) -> None:
    made = generate(tmp_path, replace(SMALL, seed=seed))
    image, _, _ = replayed(made.nodes[0])
    assert digest(image) == digest(made.image)
    assert (image.offset, image.epoch, image.timestamp_ms) == (
        made.image.offset,
        made.image.epoch,
        made.image.timestamp_ms,
    )
    for partition in partitions(image):
        assert {*partition.isr} <= {*partition.replicas}
        assert partition.leader in (*partition.isr, -1)
        assert not {*partition.elr} & {*partition.isr}
        assert {*partition.elr} <= {*partition.replicas}
        for member in partition.isr:
            assert image.brokers[member].is_active()
            assert image.brokers[member].has_online_directory(partition.directory_of(member))


@pytest.fixture(scope="module")
def long_history(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Long enough for what happens seldom."""
    return generate(tmp_path_factory.mktemp("long"), replace(SMALL, records=40_000))


def test_all_kinds_of_records_come(long_history: Made) -> None:
    _, _, types = replayed(long_history.nodes[0])
    assert set(types) >= USUAL | RARE


def test_disks_break_and_are_replaced_and_brokers_flap(long_history: Made) -> None:
    known: dict[int, set[bytes]] = {}
    broken: dict[int, set[bytes]] = {}
    replaced = 0
    registered: dict[int, list[int]] = {}
    for batch in batches(long_history.nodes[0]):
        for record in () if batch.is_control else batch.records():
            message, _ = decode_metadata_record(record.value or b"")
            if isinstance(message, BrokerRegistrationChangeRecord) and message.log_dirs:
                broken[message.broker_id] = known[message.broker_id] - {*message.log_dirs}
            elif isinstance(message, RegisterBrokerRecord):
                directories = {*message.log_dirs}
                if broken.pop(message.broker_id, None):
                    assert len(directories) == 3
                    assert len(directories - known[message.broker_id]) == 1
                    replaced += 1
                known[message.broker_id] = directories
                registered.setdefault(message.broker_id, []).append(record.timestamp)
    assert replaced > 0
    in_a_row = [
        third - first for times in registered.values() for first, third in zip(times, times[2:], strict=False)
    ]
    assert min(in_a_row) < 10 * 60_000


def test_batches_are_as_a_controller_makes_them(synthetic_history: Made) -> None:
    sizes = Counter(batch.record_count for batch in batches(synthetic_history.nodes[0]))
    assert sum(sizes[size] for size in (1, 2, 3)) > 0.7 * sum(sizes.values())
    assert max(sizes) >= 50
    elections = [
        batch.partition_leader_epoch for batch in batches(synthetic_history.nodes[0]) if batch.is_control
    ]
    assert len(elections) > 1
    assert elections == sorted(set(elections))


def test_same_seed_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    def files(name: str, options: HistoryOptions) -> dict[str, str]:
        generate(tmp_path / name, options)
        paths = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        return {
            str(path.relative_to(tmp_path / name)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in paths
        }

    first = files("a", SMALL)
    assert first == files("b", SMALL)
    other = files("c", replace(SMALL, seed=4))
    assert first["node-1/__cluster_metadata-0/00000000000000000000.log"] not in other.values()


def test_replicas_are_prefixes_of_their_leader(synthetic_history: Made) -> None:
    logs = [b"".join(data for _, data in segments(node)) for node in synthetic_history.nodes]
    longest = max(logs, key=len)
    assert all(longest.startswith(log) for log in logs)
    assert len({len(log) for log in logs}) == 3
    ends = sorted(max(batch.next_offset for batch in batches(node)) for node in synthetic_history.nodes)
    assert synthetic_history.high_watermark == ends[1]


def test_files_around_the_log(synthetic_history: Made) -> None:
    for number, node in enumerate(synthetic_history.nodes, 1):
        meta = (node / "meta.properties").read_text()
        assert f"cluster.id={synthetic_history.cluster_id}\nnode.id={number}\n" in meta
        state = json.loads((log_of(node) / "quorum-state").read_text())
        assert state["leaderEpoch"] == synthetic_history.image.epoch
        lines = (log_of(node) / "leader-epoch-checkpoint").read_text().split("\n")[2:-1]
        starts: dict[int, int] = {}
        for batch in batches(node):
            starts.setdefault(batch.partition_leader_epoch, batch.base_offset)
        assert [tuple(map(int, line.split())) for line in lines] == list(starts.items())


def test_indexes_point_at_their_batches(synthetic_history: Made) -> None:
    node = synthetic_history.nodes[0]
    assert len(segments(node)) >= 3
    for base_offset, data in segments(node):
        by_position = {batch.position: batch for batch in BatchScan(data, next_offset=base_offset)}
        index = (log_of(node) / segment_file_name(base_offset, OFFSET_INDEX_SUFFIX)).read_bytes()
        entries = list(iterate_offset_index(index, base_offset))
        assert [by_position[entry.position].last_offset for entry in entries] == [
            entry.offset for entry in entries
        ]
        gaps = [after.position - before.position for before, after in pairwise(entries)]
        assert all(gap > 4096 for gap in gaps)
        times = (log_of(node) / segment_file_name(base_offset, TIME_INDEX_SUFFIX)).read_bytes()
        by_offset = {batch.last_offset: batch.max_timestamp for batch in by_position.values()}
        time_entries = list(iterate_time_index(times, base_offset))
        assert time_entries[-1].timestamp == max(by_offset.values())
        assert all(by_offset[entry.offset] == entry.timestamp for entry in time_entries)


@pytest.mark.jvm
@pytest.mark.slow
def test_stock_dump_log_reads_every_file(synthetic_history: Made) -> None:
    node = synthetic_history.nodes[0]
    paths = sorted((*log_of(node).glob("*.log"), *log_of(node).glob("*.checkpoint")))
    dumped = run_tool("kafka-dump-log", "--cluster-metadata-decoder", "--files", ",".join(map(str, paths)))
    # At the beginning of every segment but the first the tool takes the offset before it for a gap.
    complaints = re.sub(r"Non-consecutive offsets in .*\n  -1 is followed by \d+\n", "", dumped.stderr)
    assert complaints == ""
    printed = dumped.output()
    assert "isvalid: false" not in printed
    in_log = sum(batch.record_count for batch in batches(node))
    of_log = printed.split("Dumping ")
    shown = sum(part.count("\n| offset: ") for part in of_log if part.split("\n", 1)[0].endswith(".log"))
    assert shown == in_log
    indexes = sorted((*log_of(node).glob("*.index"), *log_of(node).glob("*.timeindex")))
    checked = run_tool("kafka-dump-log", "--verify-index-only", "--files", ",".join(map(str, indexes)))
    assert "Mismatches" not in checked.stderr + checked.output()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--records", "0"], "records is 0, allowed are 1 to "),
        (["--replicas", "4"], "replicas is 4, allowed are 1 to 3"),
        (["--brokers", "2"], "brokers is 2, allowed are 3 to 1000"),
        (["--hours", "0"], "hours is 0.0, allowed is more than 0"),
        (["--segment-bytes", "1"], "segment_bytes is 1, allowed are 65536 to 2147483647"),
    ],
)
def test_a_bad_option_is_named_with_what_is_allowed(options: list[str], words: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [str(tmp_path / "new"), *options])
    assert result.exit_code == 2
    assert words in result.output
    assert not (tmp_path / "new").exists()


def test_command_line_writes_once(tmp_path: Path) -> None:
    arguments = [str(tmp_path / "new"), "--records", "500", "--replicas", "2", "--seed", "9"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert str(tmp_path / "new" / "node-2") in result.output
    assert re.search(r", high watermark [1-9]\d+$", result.stdout, re.MULTILINE), result.stdout
    again = CliRunner().invoke(main, arguments)
    assert again.exit_code == 2
    assert "is there already; choose another directory" in again.output


def test_too_few_logs_for_a_high_watermark_are_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [str(tmp_path / "new"), "--records", "500"])
    assert result.exit_code == 0, result.output
    assert "log of 1 of 3 voters, so only snapshots show what is committed" in result.output
    assert "high watermark" not in result.output


def test_progress_without_a_terminal_is_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[str] = []
    monkeypatch.setattr(ProgressLines, "note", lambda _, text: noted.append(text))
    CliRunner().invoke(main, [str(tmp_path / "new"), "--records", "30000"])
    assert noted
    assert all(re.fullmatch(r"[\d,]+ of 30,000 records", text) for text in noted)
