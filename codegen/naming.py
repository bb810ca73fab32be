"""Makes every name in the generated code."""

from __future__ import annotations

import keyword
import re

from codegen.model import Field, MessageModel, StructModel

_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_RESERVED_LOCALS = frozenset(
    "buffer position view message size found count length mark end tags tag sections stop end_of_tags budget "
    "out data section tagged isinstance len map memoryview range sum".split()
)
"""Locals of generated functions and what they call; all other names begin with an underscore or hold a verb."""
_RESERVED_ATTRIBUTES = frozenset(
    "decode decode_in_steps encode encode_in_steps encode_into from_json schema to_json unknown_tags self "
    "bool bytes dict float int list str".split()
)
"""Attributes that every message has beside its fields, and names whose usual meaning the generated code needs."""


def snake(name: str) -> str:
    """``LeaderEpoch`` -> ``leader_epoch``; ``KRaft`` counts as one word."""
    return _BOUNDARY.sub("_", name.replace("KRaft", "Kraft")).lower()


def attribute(name: str) -> str:
    """A field's name as an attribute; an underscore is appended if Python or the message needs the name."""
    result = snake(name)
    return f"{result}_" if keyword.iskeyword(result) or result in _RESERVED_ATTRIBUTES else result


def slot(field: Field) -> str:
    """The attribute that keeps a field's value: the field's own, or a private one behind a property."""
    return f"_{attribute(field.name)}" if field.made_on_demand else attribute(field.name)


def local(name: str) -> str:
    """A field's name as a local variable that does not collide with the code around it."""
    result = attribute(name)
    return f"{result}_" if result in _RESERVED_LOCALS else result


def module(message: MessageModel) -> str:
    """The module that holds a message's code."""
    return snake(message.name)


def class_name(message: MessageModel, struct: StructModel) -> str:
    """A struct's class; those within a message carry its name in front."""
    return struct.name if struct.name.startswith(message.name) else message.name + struct.name


def alias(message: MessageModel, struct: StructModel) -> str:
    """The attribute of the message class under which a struct's class is reached."""
    return struct.name.removeprefix(message.name) or struct.name


def function(verb: str, message: MessageModel, struct: StructModel, version: int) -> str:
    """The private function that reads or writes a struct in the layout first seen at ``version``."""
    inner = "" if struct.name == message.name else f"_{snake(alias(message, struct))}"
    return f"_{verb}{inner}_v{version}"
