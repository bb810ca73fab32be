"""The state of the log at each snapshot's end, by the controllers' own replay, and whether the snapshot holds that
state.

A record of the log changes the image; the records of a snapshot are compared with it. If the log does not begin at
offset 0, or has a gap, the next snapshot is not checked: it becomes the base for what follows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from kafkaproto.errors import ProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import message_class
from kafkaproto_pipeline.jobs.consistency.rows import Content, sort_sets
from kafkaproto_pipeline.views.schema import RECORD_VIEWS
from kafkaproto_server.metadata.image.digest import digest
from kafkaproto_server.metadata.image.errors import ReplayError
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.loader import LoadState, load_control_batch, load_records
from kafkaproto_server.metadata.image.replay import replay_all
from kafkaproto_server.metadata.image.snapshot import image_records

EQUAL = "equal"
DIFFERS = "differs"
NOT_COMPARED = "not compared"
"""There is nothing before the snapshot to compare it with, or it cannot be replayed."""

MAX_DIFFERENCES = 1000
"""At most this many differing records of a snapshot are reported, and then the number of the others."""
_RECORDS_A_STEP = 1024


class Verdict(NamedTuple):
    """The result of comparing a snapshot with the log."""

    verdict: str
    reason: str
    differences: tuple[str, ...] = ()


class _CannotReplayError(Exception):
    """The state is not known from here on; the text says why."""


class ClusterReplay:
    """Holds the state of one cluster, and the records that wait to be replayed."""

    def __init__(self) -> None:
        self._state: LoadState | None = LoadState()
        self._why = ""
        self._base_offset = -1
        self._pending: list[Message] = []
        self._epoch = 0

    def log_record(self, offset: int, epoch: int, content: Content) -> None:
        """Add the next record of the log."""
        if self._state is None:
            return
        try:
            expected = self._state.latest.offset + 1 + len(self._pending)
            if offset != expected:
                raise _CannotReplayError(f"offsets {expected} to {offset - 1} are missing")
            view = RECORD_VIEWS.get(content.record_type)
            if view is not None and view.control:
                state = self._flushed()
                self._state = load_control_batch(state, last_offset=offset, epoch=epoch, timestamp_ms=0)
                return
            self._pending.append(_message(content, offset))
            self._epoch = epoch
            if len(self._pending) >= _RECORDS_A_STEP:
                self._flushed()
        except (ReplayError, _CannotReplayError) as error:
            self._give_up(str(error))

    def snapshot(self, offset: int, epoch: int, records: Iterable[Content]) -> Verdict:
        """Compare a snapshot with the state at its end; ``offset`` is the last that it contains."""
        try:
            held = _image_of(records, offset)
        except (ReplayError, _CannotReplayError) as error:
            return Verdict(NOT_COMPARED, f"it cannot be replayed: {error}")
        try:
            if self._state is not None and self._flushed().latest.offset < offset:
                raise _CannotReplayError(f"offsets {self._state.latest.offset + 1} to {offset} are missing")
        except (ReplayError, _CannotReplayError) as error:
            self._give_up(str(error))
        if self._state is None or offset == self._base_offset:
            self._base_offset = offset
            image = held.at(offset, epoch, 0)
            self._state = LoadState(latest=image, stable=image)
            return Verdict(NOT_COMPARED, self._why)
        replayed = self._state.stable
        different = () if digest(replayed) == digest(held) else _differences(replayed, held)
        return Verdict(DIFFERS if different else EQUAL, "", different)

    def _flushed(self) -> LoadState:
        """The state after all waiting records."""
        assert self._state is not None
        if self._pending:
            pending, self._pending = self._pending, []
            self._state = load_records(
                self._state,
                base_offset=self._state.latest.offset + 1,
                epoch=self._epoch,
                timestamp_ms=0,
                records=pending,
            )
        return self._state

    def _give_up(self, why: str) -> None:
        self._state = None
        self._why = why
        self._pending = []


def _message(content: Content, offset: int) -> Message:
    name, version = content.record_type, content.version
    if name not in RECORD_VIEWS or content.payload is None or version is None:
        raise _CannotReplayError(f"offset {offset} has a record of type {name}, version {version}: not known")
    try:
        return message_class(name).from_json(json.loads(content.payload), version)
    except (ValueError, ProtocolError) as error:
        raise _CannotReplayError(f"offset {offset}, {name}: {error}") from error


def _image_of(records: Iterable[Content], offset: int) -> ClusterImage:
    data = [
        _message(content, offset)
        for content in records
        if content.record_type not in RECORD_VIEWS or not RECORD_VIEWS[content.record_type].control
    ]
    return replay_all(EMPTY_IMAGE, data, 0)


def _differences(replayed: ClusterImage, held: ClusterImage) -> tuple[str, ...]:
    wanted, found = _payloads(replayed), _payloads(held)
    texts = [f"lacks {_text(*each)}" for each in sorted((wanted - found).elements())]
    texts += [
        f"holds {_text(*each)}, which the log does not come to"
        for each in sorted((found - wanted).elements())
    ]
    if len(texts) > MAX_DIFFERENCES:
        texts[MAX_DIFFERENCES:] = [f"and {len(texts) - MAX_DIFFERENCES} records more"]
    return tuple(texts)


def _payloads(image: ClusterImage) -> Counter[tuple[str, str]]:
    """The record types and payloads of an image."""
    return Counter(_payload(record, version) for record, version in image_records(image))


def _payload(record: Any, version: int) -> tuple[str, str]:
    document = record.to_json(version)
    sort_sets(record.NAME, document)
    return record.NAME, json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def _text(name: str, payload: str) -> str:
    return Content(name, None, payload, None).shown()
