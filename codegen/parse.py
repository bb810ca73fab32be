"""Schema text -> model. It checks every rule of the grammar, so later stages get valid messages only.

The grammar is that of Apache Kafka's message definitions: JSON with comments. An error names the file, the path of the
field and the reason. A key that the grammar does not know is an error, because a misspelt ``flexibleVersions`` would
otherwise change the wire format silently.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from codegen.comments import blank_comments
from codegen.defaults import parse_default
from codegen.model import (
    NO_VERSIONS,
    OPEN_END,
    ArrayType,
    Field,
    MessageModel,
    MessageType,
    Primitive,
    StructModel,
    StructType,
    Type,
    Variable,
    VersionRange,
)

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_MESSAGE_KEYS = frozenset(
    "apiKey type name validVersions flexibleVersions listeners latestVersionUnstable fields commonStructs about".split()
)
_STRUCT_KEYS = frozenset("name versions fields about".split())
_FIELD_KEYS = frozenset(
    "name type versions nullableVersions taggedVersions tag flexibleVersions default ignorable mapKey entityType "
    "zeroCopy about fields".split()
)
_ENTITY_TYPES: dict[str, Type | None] = {
    "unknown": None,
    "transactionalId": Variable.STRING,
    "producerId": Primitive.INT64,
    "groupId": Variable.STRING,
    "topicName": Variable.STRING,
    "brokerId": Primitive.INT32,
}
_LISTENERS = ("broker", "controller")
_KEYED_TYPES = frozenset(
    {
        MessageType.REQUEST,
        MessageType.RESPONSE,
        MessageType.METADATA,
        MessageType.COORDINATOR_KEY,
        MessageType.COORDINATOR_VALUE,
    }
)
_WORDS: dict[str, Primitive | Variable] = {p.word: p for p in Primitive} | {v.value: v for v in Variable}
_MAX_DEPTH = 32
"""Structs within structs; Kafka's own messages go to 5."""


class SchemaError(Exception):
    """A schema is refused; the text names file, field path and reason."""

    def __init__(self, file_name: str, path: str, reason: str) -> None:
        super().__init__(f"{file_name}: {path}: {reason}" if path else f"{file_name}: {reason}")
        self.file_name = file_name
        self.path = path
        self.reason = reason


def parse_file(folder: Path, path: Path) -> MessageModel:
    """Read one schema file below ``folder``. Raises SchemaError, and OSError if it cannot be read."""
    file_name = path.relative_to(folder).as_posix()
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SchemaError(file_name, "", f"is not UTF-8 at byte {error.start}") from None
    return parse_schema(text, file_name)


def parse_schema(text: str, file_name: str) -> MessageModel:
    """Read one schema. Raises SchemaError naming ``file_name``, the field path and the reason."""
    try:
        document = json.loads(blank_comments(text), object_pairs_hook=_refuse_repeated_keys)
    except json.JSONDecodeError as error:
        raise SchemaError(file_name, f"line {error.lineno} column {error.colno}", error.msg) from None
    except _RepeatedKey as error:
        raise SchemaError(file_name, "", f"key {error.key!r} stands twice in one object") from None
    except RecursionError:
        raise SchemaError(file_name, "", "is nested too deeply") from None
    return _Parser(file_name).message(document)


class _RepeatedKey(Exception):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise _RepeatedKey(key)
        result[key] = value
    return result


class _Parser:
    """Walks one document; holds what is known of the message so far."""

    def __init__(self, file_name: str) -> None:
        self.file_name = file_name
        self.common: dict[str, Any] = {}
        self.structs: dict[str, StructModel] = {}
        self.open_structs: list[str] = []
        self.valid = NO_VERSIONS
        self.flexible = NO_VERSIONS

    def fail(self, path: str, reason: str) -> SchemaError:
        return SchemaError(self.file_name, path, reason)

    # -- the message itself ------------------------------------------------------------------------------------

    def message(self, document: Any) -> MessageModel:
        node = self._object(document, "", _MESSAGE_KEYS)
        name = self._name(node, "")
        kind = self._message_type(node, name)
        self.valid = self._versions(node, "validVersions", name)
        if self.valid.highest == OPEN_END:
            raise self.fail(name, f"validVersions {self.valid} must end somewhere")
        self.flexible = self._flexible_versions(node, name)
        api_key = self._api_key(node, name, kind)
        for index, common in enumerate(self._list(node, "commonStructs", name)):
            struct = self._object(common, f"{name}.commonStructs[{index}]", _STRUCT_KEYS)
            struct_name = self._name(struct, f"{name}.commonStructs[{index}]")
            if struct_name in self.common or struct_name == name:
                raise self.fail(struct_name, "a struct of this name is already defined")
            self._versions(struct, "versions", struct_name)
            self.common[struct_name] = struct
        self._define(name, node, self.valid, name)
        for struct_name in self.common:
            if struct_name not in self.structs:
                raise self.fail(struct_name, "is a common struct that no field uses")
        return MessageModel(
            type=kind,
            name=name,
            api_key=api_key,
            versions=self.valid,
            flexible=self.flexible,
            listeners=self._listeners(node, name, kind),
            latest_version_unstable=self._only_requests(node, "latestVersionUnstable", name, kind),
            structs=self.structs,
            source=self.file_name,
        )

    def _message_type(self, node: dict[str, Any], name: str) -> MessageType:
        word = self._text(node, "type", name)
        try:
            return MessageType(word)
        except ValueError:
            allowed = ", ".join(kind.value for kind in MessageType)
            raise self.fail(name, f"unknown message type {word!r}; allowed: {allowed}") from None

    def _flexible_versions(self, node: dict[str, Any], name: str) -> VersionRange:
        if "flexibleVersions" not in node:
            if self.valid:
                raise self.fail(name, "flexibleVersions is missing")
            return NO_VERSIONS
        flexible = self._versions(node, "flexibleVersions", name)
        if flexible and flexible.highest != OPEN_END:
            raise self.fail(name, f'flexibleVersions {flexible} must be "none" or open-ended')
        return flexible

    def _api_key(self, node: dict[str, Any], name: str, kind: MessageType) -> int | None:
        key = node.get("apiKey")
        if key is None:
            if kind in _KEYED_TYPES:
                raise self.fail(name, f"apiKey is missing from a message of type {kind.value}")
            return None
        if kind not in _KEYED_TYPES:
            raise self.fail(name, f"apiKey has no place in a message of type {kind.value}")
        if type(key) is not int or not 0 <= key <= OPEN_END:
            raise self.fail(name, f"apiKey {key!r} is not an integer from 0 to {OPEN_END}")
        return key

    def _listeners(self, node: dict[str, Any], name: str, kind: MessageType) -> tuple[str, ...]:
        if "listeners" not in node:
            return ()
        if kind is not MessageType.REQUEST:
            raise self.fail(name, "listeners has its place in requests only")
        listeners = self._list(node, "listeners", name)
        for listener in listeners:
            if listener not in _LISTENERS:
                raise self.fail(name, f"unknown listener {listener!r}; allowed: {', '.join(_LISTENERS)}")
        if len(set(listeners)) != len(listeners):
            raise self.fail(name, "listeners names one twice")
        return tuple(listeners)

    def _only_requests(self, node: dict[str, Any], key: str, name: str, kind: MessageType) -> bool:
        if key in node and kind is not MessageType.REQUEST:
            raise self.fail(name, f"{key} has its place in requests only")
        return self._flag(node, key, name)

    # -- structs and fields ------------------------------------------------------------------------------------

    def _define(self, name: str, node: dict[str, Any], versions: VersionRange, path: str) -> None:
        """Read a struct's fields and add it to the known ones, after all that it contains."""
        if len(self.open_structs) >= _MAX_DEPTH:
            raise self.fail(path, f"structs are nested more than {_MAX_DEPTH} deep")
        self.open_structs.append(name)
        fields: list[Field] = []
        names: set[str] = set()
        for index, child in enumerate(self._list(node, "fields", path)):
            read = self._field(child, f"{path}.fields[{index}]", path)
            if read.name.lower() in names:
                raise self.fail(f"{path}.{read.name}", "a field of this name is already there")
            names.add(read.name.lower())
            fields.append(read)
        self._check_tags(fields, path)
        self.open_structs.pop()
        about = self._about(node, path) if name in self.common else ""
        self.structs[name] = StructModel(name=name, versions=versions, fields=tuple(fields), about=about)

    def _field(self, child: Any, where: str, parent: str) -> Field:
        node = self._object(child, where, _FIELD_KEYS)
        name = self._name(node, where)
        path = f"{parent}.{name}"
        tagged = self._versions(node, "taggedVersions", path) if "taggedVersions" in node else NO_VERSIONS
        if "versions" not in node and not tagged:
            raise self.fail(path, "versions is missing")
        versions = self._versions(node, "versions", path) if "versions" in node else tagged
        kind = self._type(node, path, versions)
        nullable = self._nullable(node, path, kind, versions)
        self._check_tagged(node, path, kind, versions, tagged)
        field = Field(
            name=name,
            type=kind,
            versions=versions,
            nullable=nullable,
            tagged=tagged,
            tag=node.get("tag"),
            flexible=self._flexible_override(node, path, kind),
            default=self._default(node, path, kind, versions, nullable),
            ignorable=self._flag(node, "ignorable", path),
            map_key=self._flag(node, "mapKey", path),
            entity_type=self._entity_type(node, path, kind),
            zero_copy=self._flag(node, "zeroCopy", path),
            about=self._about(node, path),
        )
        if field.zero_copy and kind is not Variable.BYTES:
            raise self.fail(path, "zeroCopy has its place in bytes only")
        if field.map_key and tagged:
            raise self.fail(path, "a mapKey field cannot be tagged")
        if tagged and nullable & tagged and not nullable.covers(tagged & self.valid):
            raise self.fail(path, "either all or none of the tagged versions may be nullable")
        return field

    def _type(self, node: dict[str, Any], path: str, versions: VersionRange) -> Type:
        word = self._text(node, "type", path)
        if word.startswith("[]"):
            if word.startswith("[][]"):
                raise self.fail(path, "arrays of arrays do not exist")
            return ArrayType(self._element_type(node, path, word[2:], versions))
        return self._element_type(node, path, word, versions)

    def _element_type(
        self, node: dict[str, Any], path: str, word: str, versions: VersionRange
    ) -> Primitive | Variable | StructType:
        if word in _WORDS:
            if "fields" in node:
                raise self.fail(path, f"type {word} cannot have fields")
            return _WORDS[word]
        if not _NAME.fullmatch(word) or not word[0].isupper():
            raise self.fail(path, f"unknown type {word!r}")
        self._struct(node, path, word, versions)
        return StructType(word)

    def _struct(self, node: dict[str, Any], path: str, word: str, versions: VersionRange) -> None:
        if word in self.open_structs:
            raise self.fail(path, f"struct {word} contains itself")
        if "fields" in node:
            if word in self.structs or word in self.common:
                raise self.fail(path, f"a struct named {word} is already defined")
            self._define(word, node, versions, path)
        elif word in self.common:
            common = self._versions(self.common[word], "versions", word)
            if not common.covers(versions & self.valid):
                raise self.fail(path, f"versions {versions} exceed those of struct {word}, {common}")
            if word not in self.structs:
                self._define(word, self.common[word], common, word)
        else:
            raise self.fail(path, f"unknown type {word!r}: neither fields nor a common struct of this name")

    def _nullable(self, node: dict[str, Any], path: str, kind: Type, versions: VersionRange) -> VersionRange:
        if "nullableVersions" not in node:
            return NO_VERSIONS
        nullable = self._versions(node, "nullableVersions", path)
        if nullable and isinstance(kind, Primitive):
            raise self.fail(path, f"type {kind.word} cannot be null")
        if nullable and not nullable & versions:
            raise self.fail(path, f"nullableVersions {nullable} lie outside of versions {versions}")
        return nullable & versions

    def _check_tagged(
        self, node: dict[str, Any], path: str, kind: Type, versions: VersionRange, tagged: VersionRange
    ) -> None:
        if ("tag" in node) != bool(tagged):
            raise self.fail(path, "tag and taggedVersions go together")
        if not tagged:
            return
        if type(node["tag"]) is not int or node["tag"] < 0:
            raise self.fail(path, f"tag {node['tag']!r} is not a natural number")
        if tagged.highest != OPEN_END:
            raise self.fail(path, f"taggedVersions {tagged} must be open-ended")
        if not versions.covers(tagged & self.valid):
            raise self.fail(path, f"taggedVersions {tagged} exceed versions {versions}")
        if not self.flexible.covers(tagged):
            raise self.fail(
                path, f"taggedVersions {tagged} reach outside of flexibleVersions {self.flexible}"
            )
        if kind is Variable.RECORDS:
            raise self.fail(path, "records cannot be tagged")

    def _check_tags(self, fields: list[Field], path: str) -> None:
        owners: dict[int, str] = {}
        for field in fields:
            if field.tag is None:
                continue
            if field.tag in owners:
                raise self.fail(
                    f"{path}.{field.name}", f"tag {field.tag} is already that of {owners[field.tag]}"
                )
            owners[field.tag] = field.name
        for expected, (tag, owner) in enumerate(sorted(owners.items())):
            if tag != expected:
                raise self.fail(
                    f"{path}.{owner}", f"tags must be contiguous from 0: tag {expected} is missing"
                )

    def _flexible_override(self, node: dict[str, Any], path: str, kind: Type) -> VersionRange | None:
        if "flexibleVersions" not in node:
            return None
        if kind not in (Variable.STRING, Variable.BYTES):
            raise self.fail(path, "flexibleVersions has its place in string and bytes fields only")
        return self._versions(node, "flexibleVersions", path)

    def _default(
        self, node: dict[str, Any], path: str, kind: Type, versions: VersionRange, nullable: VersionRange
    ) -> Any:
        default = parse_default(kind, node.get("default"))
        if isinstance(default, ValueError):
            raise self.fail(path, str(default))
        if default is None and kind is not Variable.RECORDS and not nullable.covers(versions & self.valid):
            raise self.fail(path, "default null needs every version to be nullable")
        return default

    def _entity_type(self, node: dict[str, Any], path: str, kind: Type) -> str | None:
        if "entityType" not in node:
            return None
        entity = self._text(node, "entityType", path)
        if entity not in _ENTITY_TYPES:
            raise self.fail(path, f"unknown entityType {entity!r}; allowed: {', '.join(_ENTITY_TYPES)}")
        expected = _ENTITY_TYPES[entity]
        carried = kind.element if isinstance(kind, ArrayType) else kind
        if expected is not None and carried is not expected:
            raise self.fail(path, f"entityType {entity} does not fit type {node['type']}")
        return entity

    # -- JSON values --------------------------------------------------------------------------------------------

    def _object(self, value: Any, path: str, allowed: frozenset[str]) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.fail(path, f"expected an object, found {value!r:.60}")
        for key in value:
            if key not in allowed:
                at = f"{path}.{value['name']}" if path and isinstance(value.get("name"), str) else path
                at = at or str(value.get("name", ""))
                raise self.fail(at, f"unknown key {key!r}; allowed: {', '.join(sorted(allowed))}")
        return value

    def _list(self, node: dict[str, Any], key: str, path: str) -> list[Any]:
        value = node.get(key, [])
        if not isinstance(value, list):
            raise self.fail(path, f"{key} must be a list")
        return value

    def _text(self, node: dict[str, Any], key: str, path: str) -> str:
        value = node.get(key)
        if not isinstance(value, str):
            raise self.fail(path, f"{key} is missing" if value is None else f"{key} must be a string")
        return value

    def _about(self, node: dict[str, Any], path: str) -> str:
        return self._text(node, "about", path) if "about" in node else ""

    def _name(self, node: dict[str, Any], path: str) -> str:
        name = self._text(node, "name", path)
        if not _NAME.fullmatch(name):
            raise self.fail(path, f"name {name!r} must be letters and digits, beginning with a letter")
        return name

    def _flag(self, node: dict[str, Any], key: str, path: str) -> bool:
        value = node.get(key, False)
        if value in ("true", "false"):
            value = value == "true"
        if not isinstance(value, bool):
            raise self.fail(path, f"{key} must be true or false")
        return value

    def _versions(self, node: dict[str, Any], key: str, path: str) -> VersionRange:
        text = self._text(node, key, path)
        try:
            return VersionRange.parse(text)
        except ValueError as error:
            raise self.fail(path, f"{key}: {error}") from None
