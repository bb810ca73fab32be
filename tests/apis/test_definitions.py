"""An editor leads from a handler to the code that decides: "go to definition" ends at no port, because each
port names the class that implements it.

Tests: `apis.ports.controller`, `apis.ports.coordinators`, `apis.ports.node`, `apis.ports.replicas`,
`apis.ports.services`, `apis.ports.shares`.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import re
import sys
import sysconfig
from pathlib import Path
from typing import Any

import jedi
import pytest

from kafkaproto_server.apis.ports.coordinators import GroupPort, TransactionPort
from kafkaproto_server.apis.ports.replicas import FetchPort, ProducerIdPort, QuestionPort, ReplicaPort
from kafkaproto_server.apis.ports.shares import SharePort

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
REPLICAS = "shell/replicas"

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
    "Produce": [
        ("apis/data/produce.py", "services.replicas.produce"),
        (f"{REPLICAS}/replica_manager.py", "self._appends.produce("),
        (f"{REPLICAS}/requests/appends.py", "def produce("),
    ],
    "Fetch": [
        ("apis/data/fetch.py", "services.fetches.fetch("),
        (f"{REPLICAS}/requests/fetches.py", "def fetch("),
    ],
    "ListOffsets": [
        ("apis/data/list_offsets.py", "services.replicas.find_offset("),
        (f"{REPLICAS}/replica_manager.py", "self._searches.find("),
        (f"{REPLICAS}/requests/offset_searches.py", "found = find_offset("),
        (f"{REPLICAS}/followers/offsets.py", "def find_offset("),
    ],
    "OffsetForLeaderEpoch": [
        ("apis/data/offset_for_leader_epoch.py", "services.questions.end_of_epoch("),
        (f"{REPLICAS}/requests/questions.py", "def end_of_epoch("),
    ],
    "InitProducerId": [
        ("apis/data/init_producer_id.py", "services.producer_ids.next("),
        (f"{REPLICAS}/producer_ids.py", "def next("),
    ],
    "WriteShareGroupState": [
        ("apis/share_state/write_share_group_state.py", "coordinator.write("),
        ("core/coordinators/share_state/coordinator.py", "def write("),
    ],
}
"""By API: the calls on the way, each with the module that it is in, and the definition at the end."""


IMPLEMENTED_BY = re.compile(r"Implemented by\s+`([\w.]+)\.(\w+)`")
PORTS = (FetchPort, GroupPort, ProducerIdPort, QuestionPort, ReplicaPort, SharePort, TransactionPort)
"""The protocols that the shell implements."""


def definition(module: str, call: str) -> str:
    """The file, with its line, to which an editor goes from the last name of a call. From a method of a port it goes to
    that of the class which the port names."""
    path = PACKAGE / module
    lines = path.read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if call in text)
    column = lines[line - 1].index(call) + len(call) - 2
    (found,) = jedi.Script(path=path, project=PROJECT).goto(line, column, follow_imports=True)
    assert found.module_path is not None, f"{call} leads nowhere"
    if found.module_path.is_relative_to(PACKAGE / "apis" / "ports"):
        return _method_of(implementation(found.parent().docstring(raw=True)), found.name)
    text = found.module_path.read_text().splitlines()[found.line - 1]
    return f"{found.module_path.relative_to(PACKAGE)}: {text.strip().split('(')[0]}("


def implementation(docstring: str | None) -> type[Any]:
    """The class that the docstring of a port names."""
    named = IMPLEMENTED_BY.search(docstring or "")
    assert named is not None, f"no class implements: {docstring}"
    module, name = named.groups()
    found: type[Any] = getattr(importlib.import_module(f"kafkaproto_server.{module}"), name)
    return found


def _method_of(implementing: type[Any], name: str) -> str:
    path = inspect.getsourcefile(implementing)
    assert path is not None
    assert name in vars(implementing), f"{implementing.__name__} inherits {name}"
    return f"{Path(path).relative_to(PACKAGE)}: def {name}("


@pytest.mark.parametrize("port", PORTS)
def test_each_port_names_the_class_that_implements_it(port: type[Any]) -> None:
    implementing = implementation(port.__doc__)
    for name, method in vars(port).items():
        if inspect.isfunction(method) and not name.startswith("_"):
            expected = list(inspect.signature(method).parameters)
            assert list(inspect.signature(getattr(implementing, name)).parameters) == expected, name


@pytest.mark.parametrize("api", WALKS)
def test_each_call_leads_to_the_next_one(api: str) -> None:
    steps = WALKS[api]
    for (module, call), (following, _) in itertools.pairwise(steps):
        assert definition(module, call).startswith(f"{following}: def ")
    assert definition(*steps[-2]) == ": ".join(steps[-1])
