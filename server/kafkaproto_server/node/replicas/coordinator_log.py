"""The partition in which a coordinator lives, as the coordinator sees it: see `coordinator.values.CoordinatorLog`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import NewRecord
from kafkaproto.records.coordinator import encode_coordinator_record
from kafkaproto_server.coordinator.values import CoordinatorError, Record
from kafkaproto_server.node.replicas.appends import Appends
from kafkaproto_server.node.replicas.hosted import Hosted
from kafkaproto_server.node.replicas.timers import Timers
from kafkaproto_server.ports import Clock
from kafkaproto_server.replica.partition import PartitionError
from kafkaproto_server.requests.data import ProduceResult

Told = Callable[[ErrorCode], None]


class PartitionLog:
    """Appends a coordinator's records, and tells when they are committed."""

    def __init__(
        self, hosted: Hosted, appends: Appends, clock: Clock, timers: Timers, timeout_ms: int
    ) -> None:
        """``timeout_ms`` is how long a response waits for replicas."""
        self._hosted = hosted
        self._appends = appends
        self._clock = clock
        self._timers = timers
        self._timeout_ms = timeout_ms
        self._committed = 0
        # What waits for the commit of an offset, in the order of the offsets.
        self._waiting: deque[tuple[int, Told]] = deque()

    def append(self, records: Sequence[Record]) -> int:
        """See `CoordinatorLog`."""
        new = [
            NewRecord(*encode_coordinator_record(each.key, each.value, each.version)) for each in records
        ]
        try:
            return self._appends.append_own(self._hosted, new, self._took)
        except PartitionError as error:
            raise CoordinatorError(error.code) from None

    def _took(self, end_offset: int, result: ProduceResult) -> None:
        if result.code is ErrorCode.NONE:
            self._committed = max(self._committed, end_offset)
        while self._waiting and self._waiting[0][0] <= end_offset:
            self._waiting.popleft()[1](result.code)

    def when_committed(self, end_offset: int, call: Told) -> None:
        """See `CoordinatorLog`."""
        if end_offset <= self._committed:
            call(ErrorCode.NONE)
            return
        is_told = False

        def tell(code: ErrorCode) -> None:
            nonlocal is_told
            if not is_told:
                is_told = True
                call(code)

        self._waiting.append((end_offset, tell))
        self._timers.add(
            self._clock.now_ms() + self._timeout_ms,
            lambda: tell(ErrorCode.REQUEST_TIMED_OUT),
            lambda: is_told,
        )
