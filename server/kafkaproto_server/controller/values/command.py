"""What a command gets and what it gives back.

A command is a function of a situation and a request. It decides and changes nothing: the records in its
result, replayed, are the change. What it refuses as a whole it says by raising `ApiError`.

A command whose work grows with its request or with the cluster decides in steps (`types.Steps`), so that others
get their turn in between; the controller sees to it that the situation does not change meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec
from immutables import Map

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.config_keys.node_configs import NodeConfigs
from kafkaproto_server.controller.values.config import ControllerConfig
from kafkaproto_server.controller.values.effects import Report
from kafkaproto_server.controller.values.events import CommandContext
from kafkaproto_server.controller.values.sessions import BrokerSession, SessionChange
from kafkaproto_server.controller.values.settings import InheritedConfigs, TopicSettings
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.ports import Rng
from kafkaproto_server.security.delegation_tokens import TokenIndex
from kafkaproto_server.types import Steps

MAX_MESSAGE_LENGTH = 1_000
"""Characters of an error message. It may quote what a peer sent, and that alone can be all the 32767 bytes
that a string of the protocol holds."""


class ApiError(Exception):
    """A request, or a part of it, is refused: an error code, and what is at fault in words."""

    def __init__(self, code: ErrorCode, message: str | None = None) -> None:
        """A message that is too long is cut."""
        super().__init__(message)
        self.code = code
        self.message = None if message is None else message[:MAX_MESSAGE_LENGTH]


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a command may look at."""

    image: ClusterImage
    """The newest state, with what is not committed yet."""
    next_offset: int
    """The log's end when the command began to be decided. Its first record gets this offset, or a later one if records
    of the quorum's own, or the beginning of a metadata transaction, come before."""
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
    contact: BrokerSession | None = None
    """Of a heartbeat: when its sender was heard of last, which may be long before the heartbeat is carried out."""

    def topic_defaults(self) -> NodeConfigs:
        """What topics inherit, and this controller goes by."""
        return self.inherited.at(self.image)

    def topic_settings(self) -> TopicSettings:
        """The settings of topics that elections go by."""
        return TopicSettings(self.image, self.inherited)


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a command comes to. Its answer leaves when its records are committed."""

    response: Message | None = None
    """None where nobody asked: it is no command."""
    records: Sequence[Message] = ()
    """Nobody else may hold them: they are let go as they are appended."""
    atomic: bool = True
    """Whether all records must be committed together; more than a batch holds is refused then."""
    session: SessionChange | None = None
    """What becomes of one broker's session once the records are appended; None where all stay as they are."""
    reports: tuple[Report, ...] = ()
    """What the log is to be told once the records are appended."""
    kraft_version: int | None = None
    """The level that the quorum must first raise kraft.version to, or be able to. Nothing else here counts then:
    once the quorum has agreed, the command is run again."""
    validate_only: bool = False
    """Whether the quorum is only to say if it could."""


Decision: TypeAlias = Result | Steps[Result]
"""What a command decides: at once, or in steps."""
