"""Compare our message schemas with the ones inside Apache Kafka's jars, fact by fact, in both directions.

A fact is one key of a message, struct or field with its value, or the order of the members of a struct. Only
`about`, comments and layout may differ. Run it as `python -m compat.parity.schemas [FOLDER]`; it exits with 0
if nothing differs, 1 if something does, 2 if FOLDER has no jars to compare with.
"""

import argparse
import json
import re
import sys
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compat.parity.jars import ROOT, jars_directory, release

# A string, or a comment that runs to the end of the line; a `//` inside a string is part of the string.
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*')

_MEMBERS = ("fields", "commonStructs")
_IGNORED = frozenset({"about"})
_ABSENT = object()

Node = Mapping[str, Any]
"""A message, struct or field as the JSON parser gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One fact that differs, `path` being e.g. `VoteRequest.Topics.Partitions.PreVote: versions`."""

    path: str
    theirs: str
    ours: str

    def __str__(self) -> str:
        return f"{self.path}: Kafka has {self.theirs}, we have {self.ours}"


@dataclass(slots=True, kw_only=True)
class Report:
    """What a comparison found. `missing` are messages only Kafka has, `extra` ones only we have."""

    messages: int = 0
    facts: int = 0
    differences: list[Difference] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """True if something was compared and nothing differs."""
        return self.facts > 0 and not (self.differences or self.missing or self.extra)


def parse(text: str) -> Node:
    """Read one schema, with `//` comments, as plain JSON. Raises ValueError for what is not a schema."""
    node = json.loads(_STRING_OR_COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else "", text))
    if not isinstance(node, dict) or "name" not in node or "validVersions" not in node:
        raise ValueError("not a message schema")
    return node


def _by_name(texts: Iterable[tuple[str, str]]) -> dict[str, Node]:
    messages: dict[str, Node] = {}
    for place, text in texts:
        try:
            message = parse(text)
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from error
        if message["name"] in messages:
            raise ValueError(f"{place}: a second message named {message['name']}")
        messages[message["name"]] = message
    return messages


def read_jars(directory: Path) -> dict[str, Node]:
    """The schemas inside the Kafka jars of a folder, by message name. Raises ValueError naming a bad file."""
    texts: list[tuple[str, str]] = []
    for jar in sorted(directory.glob("kafka*.jar")):
        with zipfile.ZipFile(jar) as archive:
            names = sorted(name for name in archive.namelist() if name.endswith(".json"))
            texts += [(f"{jar.name}: {name}", archive.read(name).decode()) for name in names]
    return _by_name(texts)


def read_folder(directory: Path) -> dict[str, Node]:
    """The schemas in a folder tree, by message name. Raises ValueError naming a bad file."""
    return _by_name((str(path), path.read_text()) for path in sorted(directory.rglob("*.json")))


def compare(theirs: Mapping[str, Node], ours: Mapping[str, Node]) -> Report:
    """Compare every fact of every message that either side has."""
    report = Report(missing=sorted(theirs.keys() - ours.keys()), extra=sorted(ours.keys() - theirs.keys()))
    for name in sorted(theirs.keys() & ours.keys()):
        report.messages += 1
        _compare_nodes(theirs[name], ours[name], name, report)
    return report


def _compare_nodes(theirs: Node, ours: Node, path: str, report: Report) -> None:
    for key in sorted((theirs.keys() | ours.keys()) - _IGNORED):
        if key in _MEMBERS:
            _compare_members(theirs.get(key), ours.get(key), path, key, report)
        else:
            _compare_facts(theirs.get(key, _ABSENT), ours.get(key, _ABSENT), f"{path}: {key}", report)


def _compare_members(
    theirs: list[Node] | None, ours: list[Node] | None, path: str, key: str, report: Report
) -> None:
    their_names = _ABSENT if theirs is None else [member["name"] for member in theirs]
    our_names = _ABSENT if ours is None else [member["name"] for member in ours]
    _compare_facts(their_names, our_names, f"{path}: names and order of {key}", report)
    ours_by_name = {member["name"]: member for member in ours or ()}
    for member in theirs or ():
        if member["name"] in ours_by_name:
            _compare_nodes(member, ours_by_name[member["name"]], f"{path}.{member['name']}", report)


def _compare_facts(theirs: object, ours: object, path: str, report: Report) -> None:
    report.facts += 1
    # The written form is compared, because Python takes 1, 1.0 and True for the same value.
    written = [("nothing" if value is _ABSENT else json.dumps(value)) for value in (theirs, ours)]
    if written[0] != written[1]:
        report.differences.append(Difference(path=path, theirs=written[0], ours=written[1]))


def _print_report(report: Report) -> None:
    for difference in report.differences:
        print(f"differs: {difference}")
    for name in report.missing:
        print(f"missing here: {name}")
    for name in report.extra:
        print(f"not in Kafka: {name}")
    print(
        f"Kafka {release()}: {report.messages} messages compared, {report.facts} facts compared, "
        f"{len(report.differences)} differences, {len(report.missing)} missing, {len(report.extra)} extra"
    )


def main(arguments: list[str] | None = None) -> int:
    """Compare, print what differs and the counts, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m compat.parity.schemas", description=__doc__)
    parser.add_argument(
        "jars", nargs="?", type=Path, help="folder with Kafka's jars (default: under compat/.cache)"
    )
    chosen = parser.parse_args(arguments)
    try:
        theirs = read_jars(jars_directory(chosen.jars))
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    report = compare(theirs, read_folder(ROOT / "messages"))
    _print_report(report)
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
