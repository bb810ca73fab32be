"""Our kafka-dump-log beside Kafka's own, on our files, on a stock server's, and on broken ones: the same lines."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from kafkaproto.messages import NoOpRecord, RegisterControllerRecord, UnregisterControllerRecord
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_server.tools.dump.dump_log import main
from tests.compat.support.nodes import SHORT_SESSION, create, make_node
from tests.support.old_logs import FOLDER, LOGS
from tests.tools.support.in_process import run
from tests.tools.support.log_files import SNAPSHOT_NAME, make_broker_files, make_metadata_log

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

FIRST = f"{0:020}"
DUMPED = {".log", ".index", ".timeindex"}
TOPICS = 25
"""Their records take twice `index.interval.bytes`."""


@pytest.fixture(scope="module")
def our_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("ours")
    make_metadata_log(directory / "metadata")
    make_broker_files(directory / "data")
    return directory


@pytest.fixture(scope="module")
def stock_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The metadata log of a stock server that had topics, enough of them for entries of indexes, and was stopped."""
    node = make_node(StockNode, tmp_path_factory.mktemp("stock"), SHORT_SESSION)
    try:
        node.start()
        create(node, "kept", {"retention.ms": "1000"})
        for number in range(TOPICS):
            create(node, f"more-{number}")
        node.stop()
        yield node.metadata_log_directory
    finally:
        node.close()


Both = Callable[..., tuple[list[str], list[str], list[str], list[str]]]
"""What `both` returns: takes arguments."""


@pytest.fixture
def both(capsys: pytest.CaptureFixture[str]) -> Both:
    """Standard output and error of our tool, then of Kafka's."""

    def run_both(*arguments: str) -> tuple[list[str], list[str], list[str], list[str]]:
        _, printed, said = run(main, ["--secrets", *arguments], capsys)
        stock = run_tool("kafka-dump-log", *arguments)
        texts = (printed, said, stock.stdout, stock.stderr)
        ours, our_errors, theirs, their_errors = (text.splitlines() for text in texts)
        return ours, our_errors, theirs, their_errors

    return run_both


def assert_same(both: Both, *arguments: str) -> None:
    ours, our_errors, stock, stock_errors = both(*arguments)
    assert ours == stock
    assert our_errors == stock_errors
    assert len(ours) > 1


OPTIONS = (
    (),
    ("--print-data-log",),
    ("--deep-iteration",),
    ("--cluster-metadata-decoder",),
    ("--cluster-metadata-decoder", "--skip-record-metadata"),
    ("--max-bytes", "700"),
)


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_logs_and_snapshots_of_ours(our_files: Path, both: Both, options: tuple[str, ...]) -> None:
    names = [f"{FIRST}.log", SNAPSHOT_NAME, "bootstrap.checkpoint"]
    assert_same(both, *options, "--files", ",".join(f"{our_files}/metadata/{name}" for name in names))


@pytest.mark.parametrize("options", [(), ("--verify-index-only",), ("--index-sanity-check",)], ids=" ".join)
def test_indexes_and_producer_states_of_ours(our_files: Path, both: Both, options: tuple[str, ...]) -> None:
    suffixes = (".index", ".timeindex", ".snapshot")
    paths = [path for path in sorted((our_files / "metadata").iterdir()) if path.suffix in suffixes]
    assert len(paths) > 4
    assert_same(both, *options, "--files", ",".join(map(str, paths)))


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_the_files_of_a_stock_server(stock_files: Path, both: Both, options: tuple[str, ...]) -> None:
    suffixes = (".log", ".checkpoint", ".index", ".timeindex", ".snapshot", "leader-epoch-checkpoint")
    paths = [path for path in sorted(stock_files.iterdir()) if path.name.endswith(suffixes)]
    assert len(paths) > 4
    assert_same(both, *options, "--files", ",".join(map(str, paths)))


def test_indexes_that_a_stock_server_left_without_entries(tmp_path: Path, both: Both) -> None:
    """Since 4.4 it leaves them at their full size, of which its tool takes the first bytes for an entry."""
    (tmp_path / f"{FIRST}.index").write_bytes(bytes(8 * 100))
    (tmp_path / f"{FIRST}.timeindex").write_bytes(bytes(12 * 100))
    (tmp_path / f"{FIRST}.log").write_bytes(
        build_batch([NewRecord(None, b"value")], base_offset=0, timestamp_ms=1)
    )
    paths = [str(tmp_path / f"{FIRST}.{suffix}") for suffix in ("index", "timeindex")]
    ours, our_errors, stock, _ = both("--files", ",".join(paths))
    assert ours == [f"Dumping {paths[0]}", f"{paths[0]} is empty.", f"Dumping {paths[1]}"]
    assert our_errors == []
    assert stock[1] == "offset: 0 position: 0"


def test_bytes_that_are_no_text(tmp_path: Path, both: Both) -> None:
    """Ids are 16 random bytes, which only look like text."""
    drawn = random.Random(1)
    likely = (
        0x41,
        0x7E,
        0x80,
        0x8F,
        0x90,
        0x9F,
        0xA0,
        0xBF,
        0xC0,
        0xC2,
        0xE0,
        0xE1,
        0xED,
        0xEF,
        0xF0,
        0xF4,
        0xF5,
    )
    values = [bytes(drawn.choices(likely, k=16)) for _ in range(2_000)]
    path = tmp_path / f"{FIRST}.log"
    records = [NewRecord(None, value) for value in values]
    path.write_bytes(build_batch(records, base_offset=0, timestamp_ms=1))
    assert_same(both, "--print-data-log", "--files", str(path))


def test_a_record_that_is_newer_than_the_tool(tmp_path: Path, both: Both) -> None:
    """Kafka's tool of 4.3 does not know UnregisterControllerRecord, and says so; all other lines are the same."""
    records = [
        RegisterControllerRecord(controller_id=7),
        UnregisterControllerRecord(controller_id=7),
        NoOpRecord(),
    ]
    path = tmp_path / f"{FIRST}.log"
    path.write_bytes(
        build_batch(
            [NewRecord(None, encode_metadata_record(each, 0)) for each in records],
            base_offset=0,
            timestamp_ms=1,
        )
    )
    ours, our_errors, stock, stock_errors = both("--cluster-metadata-decoder", "--files", str(path))
    assert our_errors == stock_errors
    different = [pair for pair in zip(ours, stock, strict=True) if pair[0] != pair[1]]
    ((shown, unknown),) = different
    # As the records of 4.4.0 print it: kafka-tools of 4.3.1 with the libraries of 4.4.0.
    assert shown.endswith(
        'payload: {"type":"UNREGISTER_CONTROLLER_RECORD","version":0,"data":{"controllerId":7}}'
    )
    assert unknown.endswith("Unknown metadata id 29")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--files", f"{200:020}.log"),
        ("--files", f"{300:020}.log"),
        ("--files", f"{500:020}.log,{500:020}.index,{500:020}.timeindex"),
        ("--files", f"{FIRST}.index,{FIRST}.timeindex"),
        ("--verify-index-only", "--files", f"{FIRST}.index,{FIRST}.timeindex"),
        ("--print-data-log", "--files", f"{FIRST}.log"),
        ("--files", f"{62:020}.snapshot,{100:020}.txnindex"),
        ("--files", f"{100:020}.log"),
    ],
    ids=" ".join,
)
def test_files_of_brokers_and_broken_ones(our_files: Path, both: Both, arguments: tuple[str, ...]) -> None:
    *options, names = arguments
    assert_same(both, *options, ",".join(f"{our_files}/data/{name}" for name in names.split(",")))


def test_records_of_brokers_but_for_the_false_alarm_at_a_segments_start(our_files: Path, both: Both) -> None:
    ours, our_errors, stock, stock_errors = both(
        "--print-data-log", "--files", f"{our_files}/data/{100:020}.log"
    )
    assert ours == stock
    assert our_errors == [line for line in stock_errors if line != "  -1 is followed by 100"]
    assert len(our_errors) == 2


@pytest.mark.parametrize(
    "arguments",
    [("--deep-iteration", "--files", f"{200:020}.log"), ("--files", f"{400:020}.log")],
    ids=" ".join,
)
def test_where_reading_ends_at_damage_both_show_what_is_before_it(
    our_files: Path, both: Both, arguments: tuple[str, ...]
) -> None:
    *options, name = arguments
    ours, our_errors, stock, _ = both(*options, f"{our_files}/data/{name}")
    assert ours == stock
    assert len(ours) > 2
    assert name in our_errors[0]


@pytest.mark.parametrize("log", LOGS)
def test_logs_of_old_brokers_are_shown_the_same(both: Both, log: str) -> None:
    """The message formats 0 and 1; their indexes have entries that no newer broker makes."""
    files = [path for path in sorted((FOLDER / log).iterdir()) if path.suffix in DUMPED]
    paths = ",".join(map(str, files))
    options = (
        "--print-data-log",
        "--deep-iteration",
        "--skip-record-metadata --print-data-log",
        "--max-bytes 500",
    )
    for each in ("", *options):
        ours, _, stock, _ = both(*each.split(), "--files", paths)
        assert ours == stock
        assert len(ours) > len(files)
    # Kafka's tool tells problems of several files in any order, and says that offset -1 precedes a later segment.
    assert_same(both, "--files", ",".join(str(path) for path in files if path.stem == FIRST))
