"""All ports of a node."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import msgspec

from kafkaproto_server.apis.ports.controller import ControllerPort, QuorumPort
from kafkaproto_server.apis.ports.coordinators import GroupPort, ShareStatePort, TransactionPort
from kafkaproto_server.apis.ports.node import MetadataPort, NodePort
from kafkaproto_server.apis.ports.replicas import FetchPort, ProducerIdPort, QuestionPort, ReplicaPort
from kafkaproto_server.apis.ports.shares import SharePort


class Absent:
    """Stands for what only a broker has, on a node that is only a controller: no API of its listeners uses it."""

    def connection_ended(self, connection: Hashable) -> None:
        """Nothing of a connection is here."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"a node that is no broker was asked for {name}")


ABSENT: Any = Absent()


class Services(msgspec.Struct, frozen=True, kw_only=True):
    """What a handler is given."""

    node: NodePort
    metadata: MetadataPort
    controller: ControllerPort
    quorum: QuorumPort
    replicas: ReplicaPort = ABSENT
    fetches: FetchPort = ABSENT
    questions: QuestionPort = ABSENT
    producer_ids: ProducerIdPort = ABSENT
    groups: GroupPort = ABSENT
    transactions: TransactionPort = ABSENT
    share_state: ShareStatePort = ABSENT
    shares: SharePort = ABSENT
