"""What a command gets (`Situation`) and what it returns (`CommandResult`).

A command is a function of a situation and a request. It decides and changes nothing: the records in its result are the
change, once they are replayed. It raises `ApiError` to refuse a whole request.

A command whose work grows with its request or with the cluster decides in steps (`types.Steps`), so that other work
gets its turn in between. The controller makes sure that the situation does not change meanwhile.

Apache Kafka: ``ControllerResult``, which has records and response as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec
from immutables import Map

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.base.error_texts import MAX_MESSAGE_LENGTH
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.ports import Rng
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.controller.values.config import ControllerConfig
from kafkaproto_server.core.controller.values.effects import Report
from kafkaproto_server.core.controller.values.events import CommandContext
from kafkaproto_server.core.controller.values.sessions import BrokerSession, SessionChange
from kafkaproto_server.core.controller.values.topic_configs import InheritedConfigs, TopicConfigs
from kafkaproto_server.core.quotas.client_quotas import UNLIMITED, Permits
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.security.delegation_tokens import TokenIndex


class ApiError(Exception):
    """A request, or a part of it, is refused: an error code, and in words what is wrong."""

    def __init__(self, code: ErrorCode, message: str | None = None) -> None:
        """A message that is too long is cut to `MAX_MESSAGE_LENGTH`."""
        super().__init__(message)
        self.code = code
        # Some texts quote the request. A response must not be larger than its request by that.
        self.message = None if message is None else message[:MAX_MESSAGE_LENGTH]


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a command may look at."""

    image: ClusterImage
    """The newest image, including what is not committed yet."""
    next_offset: int
    """The log's end when the decision began. The command's first record gets this offset, or a later one if control
    records of the quorum, or the beginning of a metadata transaction, come before it."""
    now_ms: int
    """Monotonic time."""
    wall_ms: int
    """Wall time, in milliseconds of Unix time: for timestamps that others read. It may jump."""
    version: int
    """Version of the request."""
    context: CommandContext
    config: ControllerConfig
    cluster_id: str
    kraft_version: int
    """Finalized level of kraft.version."""
    node_id: int
    """Node id of this controller."""
    sessions: Map[int, BrokerSession]
    inherited: InheritedConfigs
    token_index: TokenIndex
    rng: Rng
    permits: Permits = UNLIMITED
    """What the sender may still create and delete by its quota (KIP-599)."""
    contact: BrokerSession | None = None
    """For a heartbeat: when its sender was last heard from. That may be long before the heartbeat is carried out."""

    def take_permits(self, partitions: int) -> None:
        """Count partitions that are created or deleted; raises ApiError if the sender's quota is used up."""
        if not self.permits.take(partitions):
            raise ApiError(
                ErrorCode.THROTTLING_QUOTA_EXCEEDED,
                f"The quota of partition changes is used up for {self.permits.throttle_ms} ms.",
            )

    def topic_defaults(self) -> NodeConfigs:
        """The defaults that topics inherit, as this controller knows them."""
        return self.inherited.at(self.image)

    def topic_configs(self) -> TopicConfigs:
        """The topic configs that elections use."""
        return TopicConfigs(self.image, self.inherited)


class CommandResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a command decided. Its response leaves when its records are committed."""

    response: Message | None = None
    """None if the change is not a command, so that nobody waits for a response."""
    records: Sequence[Message] = ()
    """Nothing else may refer to them: each is freed as it is appended."""
    atomic: bool = True
    """Whether all records must share one batch, so that more records than one batch holds are refused."""
    session: SessionChange | None = None
    """The change of one broker's session once the records are appended; None if no session changes."""
    permits: Permits = UNLIMITED
    """Those of its situation, if it has taken any."""
    reports: tuple[Report, ...] = ()
    """Reports for the node's log once the records are appended."""
    kraft_version: int | None = None
    """The level to which the quorum must first raise kraft.version, or be able to. Nothing else here counts then: the
    command runs again once the quorum has agreed."""
    validate_only: bool = False
    """Whether the quorum only has to say if it could raise the level."""


Decision: TypeAlias = CommandResult | Steps[CommandResult]
"""The result of a command: at once, or in steps."""
