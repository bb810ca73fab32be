"""The options of ``format("kraft")``. They are checked before anything is read.

Spark passes options as text, with names in lower case. It adds only ``path``, or ``paths`` (a JSON array) if ``load``
is given a list. So a name that is not listed here is a mistake, and is refused rather than ignored.
"""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from kafkaproto.client import parse_servers
from kafkaproto.log import MAX_OFFSET
from kafkaproto_pipeline.views.schema import (
    RECORD_TYPES,
    RECORDS_VIEW,
    STATE_TABLES,
    STATE_VIEW,
    VIEWS,
    check_record_types,
    columns_of,
)

DEFAULT_SPLIT_BYTES = 32 * 1024 * 1024
"""A task decodes this many bytes in about a second."""
MIN_SPLIT_BYTES = 1024
"""Below this, starting a task costs more than its work."""
MODES = ("PERMISSIVE", "DROPMALFORMED", "FAILFAST")
ALL_REPLICAS, ONE_REPLICA = "all", "one"
SNAPSHOT, SKIP, FAIL = "snapshot", "skip", "fail"
_OF_TABLE = "option."
"""How Spark marks the options of a table that is made with ``create table ... using kraft``."""
_TABLE_OWNER = "owner"
"""What Spark adds to every such table."""
EARLIEST, LATEST = "earliest", "latest"

_MAX_INT32 = 0x7FFF_FFFF
_NUMBER = re.compile(r"[0-9]{1,19}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OFFSET_TEXT = "an offset (a whole number from 0 on)"
_TIMESTAMP_TEXT = "ISO-8601, as 2026-11-21T14:03:00Z (UTC where no zone is given), or milliseconds since 1970"

T = TypeVar("T")


class OptionError(ValueError):
    """An option's name or value is not allowed; the text says which one, and what is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf:
    """A point of the log: an offset, a time, or the log's end if both are None."""

    offset: int | None = None
    """The last offset that counts."""
    timestamp_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """All options with their defaults. The names are those of the options, in snake case."""

    paths: tuple[str, ...] = ()
    """Paths and globs, as the user gave them."""
    bootstrap_controllers: tuple[tuple[str, int], ...] = ()
    """Addresses of a live quorum; if they are given, there are no paths."""
    view: str = RECORDS_VIEW
    columns: tuple[str, ...] | None = None
    record_types: tuple[str, ...] | None = None
    start_offset: int = 0
    end_offset: int | None = None
    start_timestamp_ms: int | None = None
    end_timestamp_ms: int | None = None
    as_of: AsOf | None = None
    """Set for the views of tables of the state."""
    shows_secrets: bool = False
    include_snapshots: bool = False
    replicas: str = ALL_REPLICAS
    high_watermark: int | None = None
    """Records below this offset are committed, says the user; `MAX_OFFSET` for all that is there."""
    committed_only: bool = False
    mode: str = MODES[0]
    split_bytes: int = DEFAULT_SPLIT_BYTES
    on_missing_offsets: str = FAIL
    """If a log lacks offsets: an error, or a snapshot in their place (streams), or the records that are there."""
    starting_offset: int | str = EARLIEST
    max_records_per_batch: int | None = None


def parse_options(given: Mapping[str, str]) -> SourceOptions:
    """The options that a user gave. Names may be in upper or lower case.

    Raises OptionError, and ViewError for a view, record type or column that does not exist.
    """
    values: dict[str, object] = {}
    if any(name.lower().startswith(_OF_TABLE) or name.lower() == _TABLE_OWNER for name in given):
        raise OptionError(
            "Spark does not hand the options of such a table on when it reads the table; make a temporary view: "
            "create temporary view NAME using kraft options (path '...')"
        )
    for name, text in given.items():
        key = _FIELDS.get(name.lower())
        if key is None:
            raise OptionError(f"there is no option {name!r}; options are {', '.join(OPTION_NAMES)}")
        field, option, parse = key
        values[field] = parse(option, str(text))
    if "path_list" in values:
        values["paths"] = (*_strings(values.get("paths")), *_strings(values.pop("path_list")))
    options = SourceOptions(**values)  # type: ignore[arg-type]
    if options.view in STATE_TABLES and options.as_of is None:
        options = replace(options, as_of=AsOf())
    _check(options)
    return options


def check_for_stream(options: SourceOptions) -> None:
    """Raise OptionError for the options of batch reads (their bounds, and snapshots), and for the views of the
    state.
    """
    if options.view == STATE_VIEW or options.view in STATE_TABLES:
        raise OptionError(f"view {options.view!r} is for batch reads: its rows sum up ranges of the log")
    for name, value in (
        ("asOf", options.as_of),
        ("startOffset", options.start_offset or None),
        ("endOffset", options.end_offset),
        ("includeSnapshots", options.include_snapshots or None),
    ):
        if value is not None:
            raise OptionError(
                f"option {name!r} is for batch reads; a stream begins at 'startingOffset' ({EARLIEST}, {LATEST} or an "
                f"offset), and takes a snapshot where 'onMissingOffsets' is {SNAPSHOT!r}"
            )
    if options.on_missing_offsets == SKIP:
        raise OptionError(f"option 'onMissingOffsets' is {SKIP!r}, which is for batch reads")


def _strings(value: object) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


def _check(options: SourceOptions) -> None:
    if options.on_missing_offsets == SKIP and (options.replicas == ONE_REPLICA or options.as_of is not None):
        raise OptionError(
            f"option 'onMissingOffsets' is {SKIP!r}, which is for reads of each replica's own log: "
            f"'replicas' set to {ALL_REPLICAS!r}, and no 'asOf'"
        )
    if bool(options.paths) == bool(options.bootstrap_controllers):
        what = "not both" if options.paths else "neither is given"
        raise OptionError(f"give a path, as load(path), or the option 'bootstrap.controllers'; {what}")
    if options.shows_secrets and options.view not in STATE_TABLES:
        raise OptionError(f"option 'secrets' is for the views {', '.join(STATE_TABLES)}; others hide nothing")
    if options.record_types is not None and options.view in STATE_TABLES:
        raise OptionError(f"view {options.view!r} needs all records; 'recordTypes' cannot be given for it")
    if options.as_of is not None:
        for name, value in (
            ("startOffset", options.start_offset or None),
            ("endOffset", options.end_offset),
            ("startTimestamp", options.start_timestamp_ms),
            ("endTimestamp", options.end_timestamp_ms),
        ):
            if value is not None:
                raise OptionError(
                    f"'asOf' says where to begin and to end; {name!r} cannot be given beside it, nor for views"
                    " that are tables of the state"
                )
    if options.end_offset is not None and options.end_offset < options.start_offset:
        raise OptionError(
            f"'endOffset' is {options.end_offset}, allowed is 'startOffset' ({options.start_offset}) or more"
        )
    check_record_types(options.record_types)
    columns_of(options.view, options.record_types, options.columns)


# -- values ----------------------------------------------------------------------------------------------------


def _wrong(option: str, text: str, allowed: str) -> OptionError:
    return OptionError(f"option {option!r} is {text!r}; allowed is {allowed}")


def _names(option: str, text: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in text.split(","))
    if not all(names):
        raise _wrong(option, text, "a list of names with commas between")
    return names


def _is_there(text: str) -> bool:
    """Whether a file has this name, or one that it is a pattern for."""
    path = text.strip().removeprefix("file:")
    return os.path.lexists(path) or (glob.has_magic(path) and next(glob.iglob(path), None) is not None)


def _paths(option: str, text: str) -> tuple[str, ...]:
    """The paths of a text with commas between. A comma belongs to a path or a glob if such a file is there."""
    parts = text.split(",")
    found: list[str] = []
    while parts:
        longest = next(
            (count for count in range(len(parts), 1, -1) if _is_there(",".join(parts[:count]))),
            1,
        )
        found.append(",".join(parts[:longest]).strip())
        parts = parts[longest:]
    if not all(found):
        raise _wrong(option, text, "a list of names with commas between")
    return tuple(found)


def _path_list(option: str, text: str) -> tuple[str, ...]:
    try:
        paths = json.loads(text)
    except ValueError:
        paths = None
    if not isinstance(paths, list) or not paths or not all(isinstance(path, str) and path for path in paths):
        raise _wrong(option, text, "a JSON array of paths, as load([...]) makes it")
    return tuple(paths)


def _servers(option: str, text: str) -> tuple[tuple[str, int], ...]:
    try:
        return tuple(parse_servers(text))
    except ValueError as error:
        raise _wrong(option, text, f"host:port,host:port ({error})") from None


def _number(option: str, text: str, allowed: str, least: int = 0, most: int = MAX_OFFSET) -> int:
    if _NUMBER.fullmatch(text.strip()) is None or not least <= int(text) <= most:
        raise _wrong(option, text, allowed)
    return int(text)


def _offset(option: str, text: str) -> int:
    return _number(option, text, _OFFSET_TEXT)


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text.strip()) is not None


def _timestamp(option: str, text: str) -> int:
    if _is_number(text):
        return _number(option, text, _TIMESTAMP_TEXT)
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise _wrong(option, text, _TIMESTAMP_TEXT) from None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def _as_of(option: str, text: str) -> AsOf:
    if text.strip().lower() == LATEST:
        return AsOf()
    allowed = f"{LATEST}, {_OFFSET_TEXT}, or a timestamp as ISO-8601 (UTC where no zone is given)"
    if _is_number(text):
        return AsOf(offset=_number(option, text, allowed, most=MAX_OFFSET - 1))
    try:
        return AsOf(timestamp_ms=_timestamp(option, text))
    except OptionError:
        raise _wrong(option, text, allowed) from None


def _starting_offset(option: str, text: str) -> int | str:
    if text.strip().lower() in (EARLIEST, LATEST):
        return text.strip().lower()
    return _number(option, text, f"{EARLIEST}, {LATEST} or {_OFFSET_TEXT}")


def _high_watermark(option: str, text: str) -> int:
    if text.strip().lower() == LATEST:
        return MAX_OFFSET
    return _number(option, text, f"{LATEST} or {_OFFSET_TEXT}")


def _flag(option: str, text: str) -> bool:
    if text.strip().lower() not in ("true", "false"):
        raise _wrong(option, text, "true or false")
    return text.strip().lower() == "true"


def _split_bytes(option: str, text: str) -> int:
    return _number(option, text, f"{MIN_SPLIT_BYTES} to {_MAX_INT32}", MIN_SPLIT_BYTES, _MAX_INT32)


def _max_records(option: str, text: str) -> int:
    return _number(option, text, f"1 to {_MAX_INT32}", 1, _MAX_INT32)


def _plain(name: str) -> str:
    """A name without what distinguishes TOPIC_RECORD, topicRecord and TopicRecord."""
    return name.strip().replace("_", "").lower()


def _view(_: str, text: str) -> str:
    """The view's name as it is listed; the text as it is if there is no such view."""
    return _VIEWS.get(_plain(text), text.strip())


def _record_types(option: str, text: str) -> tuple[str, ...]:
    return tuple(_RECORD_TYPES.get(_plain(name), name) for name in _names(option, text))


def _one_of(*allowed: str) -> Callable[[str, str], str]:
    by_lower = {value.lower(): value for value in allowed}

    def parse(option: str, text: str) -> str:
        value = by_lower.get(text.strip().lower())
        if value is None:
            raise _wrong(option, text, f"one of {', '.join(allowed)}")
        return value

    return parse


_VIEWS = {_plain(name): name for name in VIEWS}
_RECORD_TYPES = {_plain(name): name for name in RECORD_TYPES}
_Parse = Callable[[str, str], object]
_OPTIONS: tuple[tuple[str, str, _Parse], ...] = (
    ("path", "paths", _paths),
    ("paths", "path_list", _path_list),
    ("bootstrap.controllers", "bootstrap_controllers", _servers),
    ("view", "view", _view),
    ("columns", "columns", _names),
    ("recordTypes", "record_types", _record_types),
    ("startOffset", "start_offset", _offset),
    ("endOffset", "end_offset", _offset),
    ("startTimestamp", "start_timestamp_ms", _timestamp),
    ("endTimestamp", "end_timestamp_ms", _timestamp),
    ("asOf", "as_of", _as_of),
    ("secrets", "shows_secrets", _flag),
    ("includeSnapshots", "include_snapshots", _flag),
    ("replicas", "replicas", _one_of(ALL_REPLICAS, ONE_REPLICA)),
    ("highWatermark", "high_watermark", _high_watermark),
    ("committedOnly", "committed_only", _flag),
    ("mode", "mode", _one_of(*MODES)),
    ("splitBytes", "split_bytes", _split_bytes),
    ("onMissingOffsets", "on_missing_offsets", _one_of(SNAPSHOT, SKIP, FAIL)),
    ("startingOffset", "starting_offset", _starting_offset),
    ("maxRecordsPerBatch", "max_records_per_batch", _max_records),
)
_FIELDS = {option.lower(): (field, option, parse) for option, field, parse in _OPTIONS}
OPTION_NAMES: tuple[str, ...] = tuple(option for option, _, _ in _OPTIONS if option != "paths")
"""The options' names as the documentation writes them."""
