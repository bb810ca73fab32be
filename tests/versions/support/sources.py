"""What the sources of the product send: which requests each module names, and which of their fields it sets."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from kafkaproto import messages
from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, StructSchema

ROOT = Path(__file__).parents[3]
PACKAGES = ("kafkaproto", "server/kafkaproto_server", "pipeline/kafkaproto_pipeline")
RECEIVERS = ("apis/", "core/controller/", "generated/")
"""Folders that get requests from others and send none, and what is generated."""
_MODULE = "kafkaproto.messages"
_SUFFIX = "Request"


@cache
def modules() -> dict[str, ast.Module]:
    """The syntax trees of all modules that may send something, by their path from the root."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            inside = path.relative_to(ROOT / package)
            if inside.as_posix().startswith(RECEIVERS) or (
                inside.name == "messages.py" and package == "kafkaproto"
            ):
                continue
            text = path.read_text()
            if _SUFFIX in text:
                found[str(path.relative_to(ROOT))] = ast.parse(text)
    return found


def named_requests(tree: ast.Module) -> set[str]:
    """The request classes of Kafka's messages that a module names."""
    names: set[str] = set()
    aliases: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == _MODULE:
            names |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "kafkaproto":
            aliases |= {each.asname or each.name for each in node.names if each.name == "messages"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            names.add(node.attr)
    return {each for each in names if each.endswith(_SUFFIX)}


def fields_set(tree: ast.Module, requests: set[str]) -> set[str]:
    """The fields of these requests, by their names in Python, that a module gives a value of its own.

    Those in a call of the class, of a struct in it, or of a short name for either, those that are assigned to, and the
    keys of dicts. A number or text that is the field's default is no value of its own.
    """
    classes = [message_of(each) for each in requests]
    defaults: dict[str, list[object]] = defaultdict(list)
    for each in classes:
        for field in _fields(each.schema().root):
            defaults[field.attribute].append(field.default)
    makers = requests | {name for each in classes for name in _structs(each)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _last_name(node.value) in makers:
            makers |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _last_name(node.func) in makers:
            found |= {
                each.arg
                for each in node.keywords
                if each.arg is not None and _literal(each.value) not in defaults.get(each.arg, ())
            }
        elif isinstance(node, ast.Dict):
            found |= {str(each.value) for each in node.keys if isinstance(each, ast.Constant)}
        elif isinstance(node, ast.Assign):
            found |= {
                each.attr
                for each in node.targets
                if isinstance(each, ast.Attribute)
                and not (isinstance(each.value, ast.Name) and each.value.id == "self")
            }
    return found & defaults.keys()


def fields_with_a_value(message: Message) -> set[str]:
    """The fields of a message, at any depth, that differ from their default somewhere."""
    return set(_with_a_value(message.schema().root, message))


def message_of(name: str) -> type[Message]:
    """The class of a message."""
    found: type[Message] = getattr(messages, name)
    return found


def _last_name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _structs(message: type[Message]) -> Iterator[str]:
    return (name for name, value in vars(message).items() if isinstance(value, type))


def _fields(schema: StructSchema) -> Iterator[FieldSchema]:
    for field in schema.fields:
        yield field
        if field.struct is not None:
            yield from _fields(field.struct)


def _literal(node: ast.expr) -> object:
    """The value of a number or a text in the sources; of anything else, what no field has."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return node


def _with_a_value(schema: StructSchema, struct: object) -> Iterator[str]:
    for field in schema.fields:
        value = getattr(struct, field.attribute)
        if not field.is_default(value):
            yield field.attribute
        if field.struct is not None and value is not None:
            for each in value if field.array else [value]:
                yield from _with_a_value(field.struct, each)
