"""The state after ranges of the log, by the controllers' own replay, from the bytes of snapshots and segments.

Records are taken one by one by kafkaproto's codecs, as in `rows`. All damage is an error, because the state cannot be
known without what is damaged; so is a record of a type or a version that is newer than this release knows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from kafkaproto.message import Message
from kafkaproto.primitives import Buffer
from kafkaproto.records.batch import RecordBatchView
from kafkaproto_pipeline.decoding.rows import DecodedRow, RowReader, is_wanted
from kafkaproto_pipeline.decoding.scan import steps
from kafkaproto_pipeline.views.schema import RECORD_TYPES, TYPED_VIEW, columns_of
from kafkaproto_pipeline.views.wanted import PERMISSIVE, CorruptInputError, Origin, Plan, Wanted
from kafkaproto_server.metadata.image.errors import ReplayError
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.loader import LoadState, load_control_batch, load_records
from kafkaproto_server.metadata.image.replay import replay_all

_RECORDS_AT_ONCE = 1024


class Replaying:
    """Replays a snapshot, if there is one, and then the log from its end on."""

    def __init__(self) -> None:
        self._base: list[Message] = []
        self._base_end = 0
        """Records of the snapshot, and the first offset that it does not contain."""
        self._state: LoadState | None = None
        """None until the log begins."""
        self._waiting: list[Message] = []

    def take(
        self, buffer: Buffer, *, position: int, origin: Origin, wanted: Wanted, next_offset: int | None
    ) -> None:
        """Replay the wanted records of a buffer; the arguments are those of `columns.decode`.

        Raises CorruptInputError, which names the file, for damage, for records of newer versions, and for records that
        contradict those before them.
        """
        try:
            for row in _rows(buffer, position, origin, wanted, next_offset):
                _check(row, origin)
                if origin.snapshot is None:
                    self._log_record(row)
                else:
                    self._base_end = origin.snapshot[0]
                    self._base += [row.message] if row.message is not None and not row.is_control else []
        except ReplayError as error:
            raise CorruptInputError(f"{_file(origin)}: {error}") from error

    def image(self) -> ClusterImage:
        """The state after everything that was taken; an open metadata transaction does not count.

        Raises CorruptInputError for a record that contradicts those before it.
        """
        try:
            return self._flushed().stable
        except ReplayError as error:
            raise CorruptInputError(str(error)) from error

    def _log_record(self, row: DecodedRow) -> None:
        state = self._state or self._flushed()
        expected = state.latest.offset + 1 + len(self._waiting)
        if row.offset != expected:
            raise ReplayError(row.record_type or "a record", row.offset or 0, f"offset {expected} is missing")
        if row.message is not None and not row.is_control:
            self._waiting.append(row.message)
            if len(self._waiting) >= _RECORDS_AT_ONCE:
                self._flushed()
        else:
            # The quorum's own records move the offset only.
            self._state = load_control_batch(self._flushed(), last_offset=expected, epoch=0, timestamp_ms=0)

    def _flushed(self) -> LoadState:
        """The state with all records that wait."""
        if self._state is None:
            image = replay_all(EMPTY_IMAGE, self._base, 0).at(self._base_end - 1, 0, 0)
            self._state, self._base = LoadState(latest=image, stable=image), []
        if self._waiting:
            records, self._waiting = self._waiting, []
            base_offset = self._state.latest.offset + 1
            self._state = load_records(
                self._state, base_offset=base_offset, epoch=0, timestamp_ms=0, records=records
            )
        return self._state


def _rows(
    buffer: Buffer, position: int, origin: Origin, wanted: Wanted, next_offset: int | None
) -> Iterator[DecodedRow]:
    """All wanted rows with their messages, in order; corrupt ones, too."""
    columns = tuple(column.name for column in columns_of(TYPED_VIEW))
    plan = Plan(replace(wanted, view=TYPED_VIEW, columns=columns, record_types=None, mode=PERMISSIVE))
    reader = RowReader(plan, origin, position, None)
    for step in steps(buffer, next_offset=next_offset, expects_more=False):
        faults = defaultdict(list)
        for before, fault in step.faults:
            faults[before].append(reader.fault(fault, before))
        for index, start in enumerate(step.headers.positions.tolist()):
            yield from faults.pop(index, ())
            yield from (
                row for row in reader.batch(RecordBatchView(buffer, start), index) if is_wanted(plan, row)
            )
        for rest in faults.values():
            yield from rest


def _check(row: DecodedRow, origin: Origin) -> None:
    if row.damage is not None:
        damage = row.damage
        offset = "" if damage.offset is None else f", offset {damage.offset}"
        raise CorruptInputError(f"{_file(origin)}, byte {damage.position}{offset}: {damage.reason}")
    if row.raw is not None and not row.is_control:
        is_known = row.record_type in RECORD_TYPES
        name = row.record_type if is_known else f"a record of type {row.record_type}"
        what = f"version {row.record_version} is" if is_known else "the type is"
        raise CorruptInputError(
            f"{name} at offset {row.offset} of {_file(origin)}: {what} newer than this release knows, so the state "
            "cannot be told"
        )


def _file(origin: Origin) -> str:
    return f"{origin.directory}/{origin.file or 'log'}"
