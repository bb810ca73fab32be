"""Turns all schemas into all generated files, in memory."""

from __future__ import annotations

from pathlib import Path

from codegen import naming
from codegen.emit import emit_module
from codegen.emit_registry import emit_api_keys, emit_registry, emit_stub
from codegen.model import MessageModel, MessageType
from codegen.parse import SchemaError, parse_file


def read_schemas(folder: Path) -> list[MessageModel]:
    """Every schema below ``folder``, by name. Raises SchemaError for a bad file, and for conflicts between files."""
    messages = [parse_file(folder, path) for path in sorted(folder.rglob("*.json"))]
    messages.sort(key=lambda message: message.name)
    _check_together(messages)
    return messages


def _check_classes(message: MessageModel) -> None:
    """Structs get the message's name in front, unless they have it: that may make two of one name."""
    owners: dict[str, str] = {}
    for name, struct in message.structs.items():
        made = naming.class_name(message, struct)
        if made in owners:
            raise SchemaError(
                message.source, name, f"its class {made} is already that of struct {owners[made]}"
            )
        owners[made] = name


def _check_together(messages: list[MessageModel]) -> None:
    seen: dict[object, MessageModel] = {}
    for message in messages:
        _check_classes(message)
        keys: list[object] = [naming.module(message)]
        if message.api_key is not None:
            # Record types count within one kind of log: a folder of schemas each.
            keys.append((message.folder, message.type.value, message.api_key))
        for key in keys:
            if key in seen:
                raise SchemaError(
                    message.source, message.name, f"{key!r} is already that of {seen[key].source}"
                )
            seen[key] = message
    by_key = {(message.type, message.api_key): message for message in messages}
    for message in messages:
        if message.type is MessageType.REQUEST:
            response = by_key.get((MessageType.RESPONSE, message.api_key))
            if response is None:
                raise SchemaError(message.source, message.name, "has no response")
            if response.versions != message.versions:
                reason = f"versions {response.versions} differ from the request's, {message.versions}"
                raise SchemaError(response.source, response.name, reason)


def generate(messages: list[MessageModel]) -> dict[str, str]:
    """Relative path below ``kafkaproto/`` -> text, for every generated file."""
    files = {
        f"generated/{naming.module(message)}.py": emit_module(message)
        for message in messages
        if message.versions
    }
    files["generated/__init__.py"] = (
        '"""Codecs generated from messages/; `kafkaproto.messages` is the door to them."""\n'
    )
    files["generated/registry.py"] = emit_registry(messages)
    files["generated/api_keys.py"] = emit_api_keys(messages)
    files["messages.pyi"] = emit_stub(messages)
    return files
