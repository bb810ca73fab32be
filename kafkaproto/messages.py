"""The import path of all messages: ``from kafkaproto.messages import VoteRequest`` loads that message and no other."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from kafkaproto.generated.registry import MODULES
from kafkaproto.message import Message


def message_class(name: str) -> type[Message]:
    """The class of a message by its name in Kafka's schemas; raises KeyError if there is none."""
    found: type[Message] = getattr(import_module(f"kafkaproto.generated.{MODULES[name]}"), name)
    return found


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no message {name!r}")
    found = message_class(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*MODULES, "message_class"])
