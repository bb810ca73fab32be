"""What becomes of records that are sent to a broker of ours, or wanted of it: it takes none, and says so at once."""

from __future__ import annotations

import json
import re
import time

from compat.kafka.tools import run_tool
from compat.kafka.verifiable import Sent, sent
from compat.node import Node
from compat.runs.same_responses import CLOSED, answer, versions
from compat.runs.telling import Tell
from kafkaproto.messages import (
    FetchRequest,
    FindCoordinatorRequest,
    InitProducerIdRequest,
    ListOffsetsRequest,
    ProduceRequest,
)

COUNT = 20
"""Records of a producer."""
UNSUPPORTED = re.compile(r"The node does not support (\w+)")
"""What Kafka's clients say of a request that a broker does not offer."""
REQUESTS = (
    ProduceRequest(acks=-1),
    FetchRequest(),
    ListOffsetsRequest(),
    FindCoordinatorRequest(),
    InitProducerIdRequest(),
)


class NotRefusedError(Exception):
    """Somebody is left in the dark about records; the text says who, and what was printed or answered."""


def check_refused(broker: Node, topic: str, elsewhere: str, tell: Tell) -> dict[str, str]:
    """What became of each attempt, by tool or request, on a broker of ours that leads all of `topic`.

    Records for `elsewhere`, which it does not lead, find their way by it. Raises NotRefusedError.
    """
    refused: dict[str, str] = {}
    for tool, more in (
        ("kafka-console-producer", ()),
        ("kafka-console-consumer", ("--partition", "0", "--offset", "earliest")),
    ):
        began = time.monotonic()
        result = run_tool(
            tool, "--bootstrap-server", broker.bootstrap_server, "--topic", topic, *more, stdin="a record\n"
        )
        said = UNSUPPORTED.search(result.stderr)
        if said is None:
            raise NotRefusedError(str(result))
        refused[tool] = said[0]
        tell(f"{tool}: {said[0]} (exit code {result.exit_code}, {time.monotonic() - began:.1f} s)")
    lost = _produced(broker, topic)
    if lost.acknowledged or lost.failed.total() != COUNT:
        raise NotRefusedError(f"kafka-verifiable-producer: {lost}")
    tell(f"kafka-verifiable-producer: none of {COUNT} acknowledged, {dict(lost.failed)}")
    for request in REQUESTS:
        told = {str(answer(broker, request, version)) for version in versions(request)}
        if told != {CLOSED}:
            raise NotRefusedError(f"{request.NAME}: {told}")
        refused[request.NAME] = CLOSED
    tell(f"{', '.join(request.NAME for request in REQUESTS)} by hand, in any version: {CLOSED}")
    kept = _produced(broker, elsewhere)
    if len(kept.acknowledged) != COUNT:
        raise NotRefusedError(f"kafka-verifiable-producer, to the stock broker: {kept}")
    tell(f"{COUNT} records for the stock broker, which was found by ours: all acknowledged")
    return refused


def _produced(broker: Node, topic: str) -> Sent:
    address = ("--bootstrap-server", broker.bootstrap_server)
    result = run_tool("kafka-verifiable-producer", *address, "--topic", topic, "--max-messages", str(COUNT))
    return sent(map(json.loads, result.stdout.splitlines()))
