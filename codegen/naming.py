"""Every name in the generated code is made here."""

from __future__ import annotations

import keyword
import re

from codegen.model import Message, Struct

_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_RESERVED_LOCALS = frozenset(
    "buffer position out message length count end tags tag start stop unknown items item append self".split()
)


def snake(name: str) -> str:
    """``LeaderEpoch`` -> ``leader_epoch``; ``KRaft`` counts as one word."""
    return _BOUNDARY.sub("_", name.replace("KRaft", "Kraft")).lower()


def attribute(name: str) -> str:
    """A field's name as an attribute; Python's keywords get an underscore behind."""
    result = snake(name)
    return f"{result}_" if keyword.iskeyword(result) else result


def local(name: str) -> str:
    """A field's name as a local variable, out of the way of the code around it."""
    result = attribute(name)
    return f"{result}_" if result in _RESERVED_LOCALS else result


def json_name(name: str) -> str:
    """A field's name in Kafka's JSON form of messages: the first letter small."""
    return name[0].lower() + name[1:]


def module(message: Message) -> str:
    """The module that holds a message's code."""
    return snake(message.name)


def class_name(message: Message, struct: Struct) -> str:
    """A struct's class; those within a message carry its name in front."""
    return struct.name if struct.name.startswith(message.name) else message.name + struct.name


def alias(message: Message, struct: Struct) -> str:
    """The attribute of the message class under which a struct's class is reached."""
    return struct.name.removeprefix(message.name) or struct.name


def function(verb: str, message: Message, struct: Struct, version: int) -> str:
    """The private function that reads or writes a struct in the layout first seen at ``version``."""
    inner = "" if struct.name == message.name else f"_{snake(alias(message, struct))}"
    return f"_{verb}{inner}_v{version}"
