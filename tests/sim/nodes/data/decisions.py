"""What partitions decide, held against what is known at that moment, and the moments at which faults may strike.

A ledger looks at replicas from time to time. A wrong decision is seen there only if it does harm before it is mended by
what comes next: a follower that joins an ISR a moment too early soon has what it lacked, unless its leader dies within
that moment. So the decision itself is looked at.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import mock

from kafkaproto_server.core.coordinators.transactions.ends import TransactionEnds
from kafkaproto_server.core.replicas.partition import Partition, Role
from kafkaproto_server.shell.replicas.coordinators.coordinator_log import PartitionLog
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.host import Host
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.options import Event

Strikes = Callable[[Event, Host, int | None], None]
"""Takes what a leader did, its host, and the broker that it has to do with, if it is one."""


class Decisions:
    """Looks at the decisions of all partitions that a ledger knows, and of coordinators that write to them."""

    def __init__(
        self, ledger: Ledger | None, report: Callable[[ViolationError], None], strike: Strikes
    ) -> None:
        """``report`` takes violations: a node must not swallow them. Without a ledger nothing is looked at."""
        self._ledger = ledger
        self._report = report
        self._strike = strike

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Look at everything that is decided meanwhile."""
        watches: dict[str, Callable[..., Any]] = {
            "_ask": self._asks,
            "apply": self._applies,
            "isr_accepted": self._has_isr,
            "leader_said": self._hears,
            "log_start_moved": self._deletes,
        }
        with contextlib.ExitStack() as stack:
            for name, watch in watches.items() if self._ledger is not None else ():
                stack.enter_context(mock.patch.object(Partition, name, self._wrapped(name, watch)))
            if self._ledger is not None:
                decide = self._deciding(TransactionEnds.__dict__["_decide"])
                stack.enter_context(mock.patch.object(TransactionEnds, "_decide", decide))
            yield

    def _deciding(self, original: Any) -> Callable[..., None]:
        def decide(ends: TransactionEnds, *given: Any, **more: Any) -> None:
            original(ends, *given, **more)
            log = ends._states._log
            assert isinstance(log, PartitionLog), "a node's coordinator writes to a partition"
            found = self._host_of(log._hosted.partition)
            if found is not None:
                self._strike("ends a transaction", found[0], None)

        return decide

    def _wrapped(self, name: str, watch: Callable[..., Any]) -> Callable[..., Any]:
        """A method of partitions that is looked at. A mutation may have replaced it before."""
        original = Partition.__dict__[name]

        def method(partition: Partition, *given: Any, **more: Any) -> Any:
            found = self._host_of(partition)
            if found is None:
                return original(partition, *given, **more)
            return watch(original, found, partition, *given, **more)

        return method

    def _host_of(self, partition: Partition) -> tuple[Host, Place] | None:
        """Where a partition is; None if its node has ended, or nobody has records in it."""
        assert self._ledger is not None
        place = (partition.topic, partition.index)
        host = self._ledger.broker(partition.broker_id)
        data = None if host is None or host.node is None or not host.is_up else host.node._broker
        if host is None or data is None or place not in self._ledger.known:
            return None
        hosted = data.manager.replicas.get(partition.topic_id, partition.index)
        return (host, place) if hosted is not None and hosted.partition is partition else None

    # -- decisions -------------------------------------------------------------------------------------------------

    def _asks(
        self, original: Any, found: tuple[Host, Place], partition: Partition, isr: Sequence[int]
    ) -> None:
        assert self._ledger is not None
        try:
            self._ledger.asked_for(found[0], found[1], partition, isr)
        except ViolationError as violation:
            self._report(violation)
        member_id = next((each for each in isr if each not in partition.isr), None)
        original(partition, isr)
        self._strike("asks for an ISR", found[0], member_id)

    def _applies(
        self, original: Any, found: tuple[Host, Place], partition: Partition, *given: Any, **more: Any
    ) -> Any:
        before, isr = partition.leader_epoch, partition.isr
        is_change = original(partition, *given, **more)
        if partition.role is Role.LEADER:
            if partition.leader_epoch != before:
                self._strike("begins to lead", found[0], None)
            self._has_lost(found[0], partition, isr)
        return is_change

    def _has_isr(
        self, original: Any, found: tuple[Host, Place], partition: Partition, *given: Any, **more: Any
    ) -> None:
        before = partition.isr
        original(partition, *given, **more)
        if partition.isr != before:
            member_id = next((each for each in partition.isr if each not in before), None)
            self._strike("has another ISR", found[0], member_id)
            self._has_lost(found[0], partition, before)

    def _has_lost(self, host: Host, partition: Partition, isr: Sequence[int]) -> None:
        """Tell of a member of an earlier ISR that is not in there any more."""
        member_id = next((each for each in isr if each not in partition.isr), None)
        if member_id is not None:
            self._strike("loses a follower", host, member_id)

    def _hears(
        self, original: Any, found: tuple[Host, Place], partition: Partition, *given: Any, **more: Any
    ) -> None:
        original(partition, *given, **more)
        if partition.high_watermark > partition.log_end_offset:
            self._violated(
                NodeInvariant.HIGH_WATERMARK_IN_LOG,
                found,
                f"has the high watermark {partition.high_watermark}, and a log to {partition.log_end_offset}",
            )

    def _deletes(
        self, original: Any, found: tuple[Host, Place], partition: Partition, offset: int, **more: Any
    ) -> None:
        if offset > partition.high_watermark:
            self._check_deletion(found, partition, offset)
        original(partition, offset, **more)

    def _check_deletion(self, found: tuple[Host, Place], partition: Partition, offset: int) -> None:
        """A follower may hear of deletions before it hears how much is committed."""
        assert self._ledger is not None
        committed = max(
            hosted.partition.high_watermark
            for _, place, hosted in self._ledger.replicas()
            if place == found[1]
        )
        if offset > committed and not self._ledger.is_excused(found[1]):
            self._violated(
                NodeInvariant.UNCOMMITTED_STAYS,
                found,
                f"deletes what is before {offset}, and {committed} is committed",
            )

    def _violated(self, invariant: NodeInvariant, found: tuple[Host, Place], what: str) -> None:
        host, place = found
        self._report(ViolationError(invariant, f"{place[0]}-{place[1]}: node {host.id} {what}"))
