"""Our kafka-metadata-shell beside Kafka's own, on the same snapshots.

`recorded_session` is also how `tests/tools/golden/metadata_shell.txt` is made anew:
`python -m tests.compat.test_metadata_shell` prints it.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from compat.kafka.shell import WHERE, ask_shell
from compat.kafka.stock import StockNode
from compat.node import Node
from compat.ours import OurNode
from kafkaproto_server.metadata.features import METADATA_VERSION
from kafkaproto_server.metadata.image.entries import GROUP_RESOURCE
from kafkaproto_server.metadata.image.snapshot import image_records
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.metadata.bootstrap import (
    BOOTSTRAP_NAME,
    encode_initial_snapshot,
    feature_records,
)
from kafkaproto_server.tools.shell.commands import Shell, run_line
from kafkaproto_server.tools.shell.nodes import root
from kafkaproto_server.tools.shell.sources import load_file
from tests.compat.support.nodes import create, make_node
from tests.metadata.image.support.reference import image_from_records
from tests.metadata.image.support.workload import random_records
from tests.tools.support.metadata_shell_files import write_snapshot
from tests.tools.support.metadata_shell_golden import FIRST_LINE, GOLDEN, HEADING, Exchange, exchanges

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

_PARTS = (
    "acls",
    "clientQuotas",
    "cluster",
    "configs",
    "delegationToken",
    "features",
    "producerIds",
    "scram",
    "topics",
)


def recorded_session(snapshot: Path, commands: list[str]) -> list[Exchange]:
    """What Kafka's shell answers at its prompt to each of these lines."""
    responses = ask_shell(snapshot, commands)
    return [
        Exchange(command=command, output=response)
        for command, response in zip(commands, responses, strict=True)
    ]


def test_the_recorded_session_is_what_kafka_says(tmp_path: Path) -> None:
    recorded = exchanges()
    assert WHERE == FIRST_LINE
    assert recorded_session(write_snapshot(tmp_path), [each.command for each in recorded]) == recorded


@pytest.mark.parametrize("seed", range(3))
def test_random_images_look_the_same(tmp_path: Path, seed: int) -> None:
    image = image_from_records(random_records(random.Random(seed), 400), offset=399, epoch=1, timestamp_ms=1)
    # Kafka's shell cannot show quotas of default entities, nor configs that groups do not know.
    records = [
        record
        for record, _ in image_records(image)
        if not (
            record.NAME == "ClientQuotaRecord" and any(each.entity_name is None for each in record.entity)
        )
        and not (record.NAME == "ConfigRecord" and record.resource_type == GROUP_RESOURCE)
    ]
    path = write_snapshot(tmp_path, records)
    written: list[str] = []
    shell = Shell(root=root(load_file(OsDisk(), str(path), None), secrets=True), write=written.append)
    commands = [
        f"{command} /image/{part}" for part in sorted(name for name in _PARTS) for command in ("find", "tree")
    ]
    for exchange in recorded_session(path, commands):
        written.clear()
        run_line(shell, exchange.command)
        assert "".join(written) == exchange.output, exchange.command


def test_a_snapshot_of_any_name_looks_the_same(tmp_path: Path) -> None:
    """Such as the one with which formatting says how a cluster begins."""
    path = tmp_path / BOOTSTRAP_NAME
    records = feature_records({METADATA_VERSION: 33, "group.version": 1})
    path.write_bytes(encode_initial_snapshot(records, 1, kraft_version=1, voters=()))
    (expected,) = recorded_session(path, ["tree /image/features"])
    assert "finalized_group.version:\n  1\n" in expected.output
    assert our_shell("-s", str(path), "tree", "/image/features") == expected.output


@pytest.mark.parametrize("make", [StockNode, OurNode], ids=["stock", "ours"])
def test_a_running_quorum_is_shown_as_kafka_shows_its_log(tmp_path: Path, make: type[Node]) -> None:
    node = make_node(make, tmp_path)
    try:
        node.start()
        create(node, "kept", {"retention.ms": "1000"})
        live = {
            option: our_shell(
                option, address, "tree", "/image/topics", "/image/configs", "/image/cluster/brokers"
            )
            for option, address in (
                ("--bootstrap-server", node.bootstrap_server),
                ("--bootstrap-controller", node.bootstrap_controller),
            )
        }
        digest = our_shell("--bootstrap-server", node.bootstrap_server, "cat", "/local/digest")
        node.kill()
        (segment,) = node.metadata_log_directory.glob("*.log")
        commands = ["tree /image/topics", "tree /image/configs", "tree /image/cluster/brokers"]
        expected = "".join(each.output for each in recorded_session(segment, commands))
        assert live == {"--bootstrap-server": expected, "--bootstrap-controller": expected}
        assert "kept:" in expected
        assert our_shell("-s", str(node.metadata_log_directory), "cat", "/local/digest") == digest
    finally:
        node.close()


def our_shell(*arguments: str) -> str:
    """Standard output of our tool, which has to succeed."""
    return subprocess.run(
        [sys.executable, "-m", "kafkaproto_server.tools.shell.metadata_shell", *arguments],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def _print_golden() -> None:
    with tempfile.TemporaryDirectory() as directory:
        commands = [each.command for each in exchanges()] if GOLDEN.exists() else []
        print(HEADING, end="")
        for exchange in recorded_session(write_snapshot(Path(directory)), commands):
            print(f"\n$ {exchange.command}\n{exchange.output}", end="")


if __name__ == "__main__":
    _print_golden()
