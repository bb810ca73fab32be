"""An editor leads from a handler to the code that decides: "go to definition" ends at no port."""

from __future__ import annotations

import itertools
import sys
import sysconfig
from pathlib import Path

import jedi
import pytest

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "server"
PACKAGE = SERVER / "kafkaproto_server"
# Not the environment's own search path: it may lead to another checkout.
PROJECT = jedi.Project(
    ROOT,
    sys_path=[str(ROOT), str(SERVER), sysconfig.get_path("purelib"), *sys.path],
    smart_sys_path=False,
)
GROUPS = "core/coordinators/groups"

WALKS = {
    "JoinGroup": [
        ("apis/groups/join_group.py", "group.join("),
        (f"{GROUPS}/shard.py", "self._classic.join("),
        (f"{GROUPS}/classic/groups.py", "def join("),
    ],
    "OffsetCommit": [
        ("apis/groups/offset_commit.py", "shard.commit("),
        (f"{GROUPS}/shard.py", "self._offsets.commit("),
        (f"{GROUPS}/offsets/offsets.py", "def commit("),
    ],
    "ConsumerGroupHeartbeat": [
        ("apis/groups/consumer_group_heartbeat.py", "group.consumer_heartbeat("),
        (f"{GROUPS}/shard.py", "self._consumer.heartbeat("),
        (f"{GROUPS}/consumer/heartbeat.py", "def heartbeat("),
    ],
    "ShareGroupHeartbeat": [
        ("apis/groups/share_group_heartbeat.py", "group.share.heartbeat("),
        (f"{GROUPS}/share/service.py", "self.groups.heartbeat("),
        (f"{GROUPS}/share/heartbeat.py", "def heartbeat("),
    ],
    "StreamsGroupHeartbeat": [
        ("apis/groups/streams_group_heartbeat.py", ".streams_heartbeat("),
        (f"{GROUPS}/shard.py", "self._streams.heartbeat("),
        (f"{GROUPS}/streams/heartbeat.py", "def heartbeat("),
    ],
    "EndTxn": [
        ("apis/transactions/end_txn.py", ".end("),
        ("core/coordinators/transactions/coordinator.py", "self._ends.end("),
        ("core/coordinators/transactions/ends.py", "def end("),
    ],
    "WriteShareGroupState": [
        ("apis/share_state/write_share_group_state.py", "coordinator.write("),
        ("core/coordinators/share_state/coordinator.py", "def write("),
    ],
}
"""By API: the calls on the way, each with the module that it is in, and the definition at the end."""


def definition(module: str, call: str) -> str:
    """The file, with its line, to which an editor goes from the last name of a call."""
    path = PACKAGE / module
    lines = path.read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if call in text)
    column = lines[line - 1].index(call) + len(call) - 2
    (found,) = jedi.Script(path=path, project=PROJECT).goto(line, column, follow_imports=True)
    assert found.module_path is not None, f"{call} leads nowhere"
    text = found.module_path.read_text().splitlines()[found.line - 1]
    return f"{found.module_path.relative_to(PACKAGE)}: {text.strip().split('(')[0]}("


@pytest.mark.parametrize("api", WALKS)
def test_each_call_leads_to_the_next_one(api: str) -> None:
    steps = WALKS[api]
    for (module, call), (following, _) in itertools.pairwise(steps):
        assert definition(module, call).startswith(f"{following}: def ")
    assert definition(*steps[-2]) == ": ".join(steps[-1])
