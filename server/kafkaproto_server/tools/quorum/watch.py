"""The live table of ``kafka-metadata-quorum watch``.

DescribeQuorum shows the voters in force, whether or not their record is committed. The log shows whether it is: the
table gets this from a Fetch to the leader, as a reader that is not a replica, of the records beyond the high watermark.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table

from kafkaproto import uuids
from kafkaproto.client import Client
from kafkaproto.messages import FetchRequest, FetchResponse, VotersRecord
from kafkaproto.records.batch import iterate_batches
from kafkaproto.records.control import ControlRecordType, decode_control_record
from kafkaproto.support import joined
from kafkaproto_server.base.types import METADATA_TOPIC_ID, ZERO_UUID
from kafkaproto_server.tools.quorum.access import FAILURES, REQUEST_TIMEOUT_MS, DescribedQuorum, QuorumAccess
from kafkaproto_server.tools.quorum.voter_alteration import ReplicaView, view_of

INTERVAL_S = 1.0
_FETCH_BYTES = 1 << 20
_VERSION_WITH_CURRENT_LEADER = 17


@dataclass(frozen=True, slots=True, kw_only=True)
class UncommittedVoters:
    """The newest KRAFT_VOTERS record beyond the high watermark."""

    offset: int
    voter_ids: tuple[int, ...]


def watch(
    access: QuorumAccess,
    console: Console | None = None,
    rounds: Iterable[object] = repeat(None),
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Show a table in each round: on a terminal it replaces the one before, elsewhere it follows it."""
    console = console or Console()
    with Live(console=console, auto_refresh=False, screen=False) as live:
        for _ in rounds:
            try:
                table: object = _table(quorum := access.describe(), _uncommitted_line(quorum))
            except (click.ClickException, *FAILURES) as error:
                table = f"{error.format_message() if isinstance(error, click.ClickException) else error}"
            if console.is_terminal:
                live.update(table, refresh=True)  # type: ignore[arg-type]
            else:
                console.print(table)
            sleep(INTERVAL_S)


def _uncommitted_line(quorum: DescribedQuorum) -> str:
    try:
        found = uncommitted_voters(quorum)
    except FAILURES as error:
        return f"voter change: not known whether one is uncommitted: {error}"
    if found is None:
        return "voter change: none uncommitted"
    voters = ",".join(map(str, found.voter_ids))
    return f"voter change: UNCOMMITTED, voters {voters} by the record at offset {found.offset}"


def uncommitted_voters(quorum: DescribedQuorum) -> UncommittedVoters | None:
    """The newest voters in the leader's log beyond the high watermark; None if there are none.

    Raises ConnectionError and other `FAILURES` if the leader cannot be reached, or if another node responds.
    """
    partition = quorum.partition
    if not quorum.leader_addresses:
        raise ConnectionError("the answer does not say where the leader is")
    ((_, (host, port)), *_) = quorum.leader_addresses
    request = FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=_FETCH_BYTES,
        session_epoch=-1,
        topics=[
            FetchRequest.FetchTopic(
                topic_id=METADATA_TOPIC_ID,
                partitions=[
                    FetchRequest.FetchPartition(
                        partition=0,
                        current_leader_epoch=partition.leader_epoch,
                        fetch_offset=max(0, partition.high_watermark),
                        # The leader's epoch began before the high watermark, so this is the epoch at that offset.
                        last_fetched_epoch=partition.leader_epoch,
                        partition_max_bytes=_FETCH_BYTES,
                    )
                ],
            )
        ],
    )
    with Client.connect(host, port, timeout_ms=REQUEST_TIMEOUT_MS) as client:
        response = client.send(request, _VERSION_WITH_CURRENT_LEADER)
    assert isinstance(response, FetchResponse)
    codes = [
        response.error_code,
        *(part.error_code for topic in response.responses for part in topic.partitions),
    ]
    if any(codes) or len(codes) != 2:
        raise ConnectionError(f"{host}:{port} answered Fetch with error codes {codes}")
    answer = response.responses[0].partitions[0]
    return _newest_voters(joined(answer.records or b""), answer.high_watermark)


def _newest_voters(records: bytes | memoryview, high_watermark: int) -> UncommittedVoters | None:
    newest = None
    for batch in iterate_batches(records):
        if not batch.is_control or batch.next_offset <= high_watermark:
            continue
        for record in batch.records():
            kind, message = decode_control_record(record.key, record.value)
            if kind is ControlRecordType.KRAFT_VOTERS:
                assert isinstance(message, VotersRecord)
                ids = tuple(sorted(voter.voter_id for voter in message.voters))
                newest = UncommittedVoters(offset=record.offset, voter_ids=ids)
    return newest


def _table(quorum: DescribedQuorum, uncommitted: str) -> Table:
    partition = quorum.partition
    table = Table(
        title=f"cluster {quorum.cluster_id}, leader {partition.leader_id}, epoch {partition.leader_epoch}, "
        f"high watermark {partition.high_watermark}",
        caption=uncommitted,
        title_justify="left",
        caption_justify="left",
    )
    for name in ("node", "directory", "status", "log end", "lag", "fetched", "caught up", "endpoints"):
        table.add_column(
            name, justify="right" if name in ("node", "log end", "lag") else "left", no_wrap=True
        )
    view = view_of(quorum)
    for status, replicas in (
        ("voter", sorted(view.voters, key=lambda each: each.key.id)),
        ("observer", sorted(view.observers, key=lambda each: each.key.id)),
    ):
        for replica in replicas:
            table.add_row(*_row(quorum, replica, status))
    return table


def _row(quorum: DescribedQuorum, replica: ReplicaView, status: str) -> Sequence[str]:
    node_id = replica.key.id
    is_leader = status == "voter" and node_id == quorum.partition.leader_id
    return (
        str(node_id),
        uuids.to_text(replica.key.directory_id or ZERO_UUID),
        "leader" if is_leader else status if replica.is_live else f"{status}, silent",
        str(quorum.leader.log_end_offset - replica.lag),
        str(replica.lag),
        _ago(replica.fetched_ms_ago),
        _ago(replica.caught_up_ms_ago),
        ", ".join(f"{each.host}:{each.port}" for each in quorum.endpoints.get(node_id, ())),
    )


def _ago(ms: int | None) -> str:
    return "never" if ms is None else f"{ms} ms ago"
