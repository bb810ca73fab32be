"""The input of the report's plots: small plain values, whose number is bounded however long the log is.

Times are milliseconds since the epoch, durations milliseconds. Spark reduces the histories to these values
(`reduction`). The drawing part (`plots`, `page`) uses nothing else, and no Spark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MAX_BINS = 120
"""Bins of time a plot has at most: a bin is then still ten pixels wide on a usual screen."""
MAX_LANES = 60
"""Lanes (controllers, brokers) a plot has at most: what fits on two screens."""
MAX_ROWS = 40
"""Rows a heat map shows at once."""
MAX_TOPICS = 500
"""Topics that had trouble and are on the page, so that a search finds them."""
MAX_PARTITIONS = 2_000
"""The same of partitions."""
MAX_CELLS = 60_000
"""Cells all rows of a heat map have together, those that are not shown included: about 2 MB of the page at worst."""
MAX_TYPES = 16
"""Record types with a lane of their own."""
MAX_TABLE_ROWS = 25
"""Rows of the worst partitions that are shown at once."""
MAX_WORST = 1_000
"""The worst partitions that are on the page, so that a search finds them."""
MAX_EVENTS = 500
EVENTS_OF_A_KIND = 10
"""So many of each kind are kept, the newest, before any kind has more: no kind crowds the others out."""
MAX_TEXT = 300
"""Letters of an event's text that are kept: values of configs have no limit."""
MAX_MARK_BINS = 600
"""Bins of time that changes are marked in: with a zoom, marks that were one are several."""
MAX_MARK_CHANGES = 6
"""Changes of a bin that are told; the others are counted."""
MAX_SPANS = 6_000
"""Spans all lanes of a plot have together at most: beyond it a browser takes its time."""

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
YEAR_MS = 364 * DAY_MS
"""Thirteen times 28 days."""
ROUND_STEPS_MS = (
    *(1, 2, 5, 10, 20, 50, 100, 200, 500),
    *(each * SECOND_MS for each in (1, 2, 5, 10, 15, 30)),
    *(each * MINUTE_MS for each in (1, 2, 5, 10, 15, 30)),
    *(each * HOUR_MS for each in (1, 2, 3, 6, 12)),
    *(each * DAY_MS for each in (1, 2, 7, 14, 28)),
)
"""Widths of a bin that a person counts in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """A range of time cut into bins of one width; the first starts at a round time at or before the range."""

    first_ms: int
    step_ms: int
    count: int

    def start_ms(self, number: int) -> int:
        return self.first_ms + number * self.step_ms

    @property
    def end_ms(self) -> int:
        return self.start_ms(self.count)


def bins_of(start_ms: int, end_ms: int, max_bins: int = MAX_BINS) -> Bins:
    """The narrowest round bins, at most ``max_bins`` of them, that hold all from start to end, both inclusive."""
    fitting = (each for each in ROUND_STEPS_MS if _count(start_ms, end_ms, each) <= max_bins)
    years = (end_ms - start_ms) // (max_bins - 1) // YEAR_MS + 1
    step_ms = next(fitting, years * YEAR_MS)
    return Bins(
        first_ms=start_ms - start_ms % step_ms, step_ms=step_ms, count=_count(start_ms, end_ms, step_ms)
    )


def _count(start_ms: int, end_ms: int, step_ms: int) -> int:
    return end_ms // step_ms - start_ms // step_ms + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenure:
    """One controller led the quorum; or several leaderships that are too short to be distinguished, drawn as one."""

    leader_id: int
    first_epoch: int
    last_epoch: int
    start_ms: int
    end_ms: int
    start_offset: int
    """Of the leader's first record."""
    count: int = 1
    """Leaderships drawn as this one."""
    skipped_epochs: int = 0
    """Number of epochs right before that nobody won."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuorumTenures:
    controllers: Sequence[int]
    """Ids of all that led or were voters, in order."""
    tenures: Sequence[Tenure]
    left_out: int = 0
    """Controllers without a lane."""


BROKER_STATES = ("active", "fenced", "controlled shutdown", "registered", "unregistered")
"""The states of a broker's lane. If spans are drawn as one, `SHOWN_FIRST` decides which state they get."""
SHOWN_FIRST = ("fenced", "controlled shutdown", "registered", "unregistered", "active")


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerSpan:
    """A broker was in one state; or several spans that are too short to be distinguished, drawn as one."""

    broker_id: int
    state: str
    """One of `BROKER_STATES`."""
    start_ms: int
    end_ms: int
    start_offset: int
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryFailure:
    """A log directory of a broker went offline; or several that are too close to be distinguished."""

    broker_id: int
    at_ms: int
    offset: int
    text: str
    """What happened; to the first of several."""
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerLanes:
    brokers: Sequence[int]
    spans: Sequence[BrokerSpan]
    failures: Sequence[DirectoryFailure]
    left_out: int = 0
    """Brokers without a lane: those with the fewest changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IsrCell:
    """In one bin of time: the lowest share of a row's replicas that were in sync, if it was below one."""

    row: int
    bin: int
    share: float
    out_of_sync_ms: int
    """Replicas that were out of sync, times how long."""
    leaderless_ms: int
    partitions: int
    """Partitions that were under-replicated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IsrRow:
    topic: str
    partition: int | None
    """None in the row of a whole topic."""
    start_ms: int
    """The time of its creation, as far as the log has it."""
    end_ms: int

    @property
    def name(self) -> str:
        return self.topic if self.partition is None else f"{self.topic}-{self.partition}"


@dataclass(frozen=True, slots=True, kw_only=True)
class IsrMap:
    """Rows, the worst first; a bin without a cell means that all replicas were in sync.

    There are more rows than are shown at once: a search by topic chooses from all of them.
    """

    rows: Sequence[IsrRow]
    cells: Sequence[IsrCell]
    left_out: int = 0
    """Rows that had replicas out of sync too and are not on the page."""
    healthy: int = 0
    """Rows that were in sync all the time and are not on the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """Partitions that each broker led, the mean over each bin of time."""

    brokers: Sequence[int]
    led: Sequence[Sequence[float]]
    """By broker, then by bin."""
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Records by type, the most frequent first; the last row may be all the others."""

    types: Sequence[str]
    counts: Sequence[Sequence[int]]
    """By type, then by bin."""
    others: int = 0
    """Types that the last row stands for; 0 where it is a type like the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstPartition:
    topic: str
    partition: int
    under_replicated_ms: int
    under_min_isr_ms: int
    leaderless_ms: int
    leader_changes: int
    isr_changes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstPartitions:
    rows: Sequence[WorstPartition]
    left_out: int = 0
    """Partitions that had trouble too and are not on the page."""


EVENT_GROUPS: Mapping[str, Sequence[str]] = {
    "quorum": (
        "leader elected",
        "voters changed",
        "controller registered",
        "controller unregistered",
        "feature changed",
    ),
    "brokers": (
        "broker fenced",
        "broker in controlled shutdown",
        "broker unregistered",
        "broker registered",
        "broker unfenced",
    ),
    "directories": ("directory failed", "directory missing", "directory cordoned", "directory uncordoned"),
    "leaders of partitions": ("unclean election", "leader lost", "leader regained", "ELR cleared"),
    "topics": ("topic created", "topic deleted", "partitions added"),
    "reassignments": ("reassignment begun", "reassignment ended", "reassignment cancelled"),
    "configs": ("config changed",),
    "quotas": ("quota changed",),
    "ACLs": ("ACL created", "ACL removed"),
    "credentials": (
        "SCRAM credential created",
        "SCRAM credential changed",
        "SCRAM credential removed",
    ),
    "delegation tokens": ("token created", "token renewed", "token removed", "token expired"),
}
"""The kinds of the history's events, by what they are about."""
TELLING_FIRST = (
    "unclean election",
    "directory failed",
    "directory missing",
    "leader elected",
    "voters changed",
    "feature changed",
    "broker fenced",
    "broker unregistered",
    "leader lost",
    "topic deleted",
    "reassignment begun",
    "config changed",
    "quota changed",
    "ACL removed",
    "ACL created",
    "topic created",
    "partitions added",
)
"""The kinds that are kept first if there are too many events; then all others."""
MARKED_GROUPS = ("topics", "reassignments", "configs", "quotas", "ACLs", "credentials")
MARKED_KINDS = (
    *(kind for group in MARKED_GROUPS for kind in EVENT_GROUPS[group]),
    "voters changed",
    "feature changed",
)
"""What somebody changed: it is marked on the time axes, so that one sees what it led to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened, as the history tells it."""

    at_ms: int
    offset: int
    kind: str
    subject: str
    topic: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    rows: Sequence[Event]
    """In the log's order."""
    counts: Mapping[str, int]
    """By kind, those included that are not on the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Changes that are close to each other."""

    count: int
    changes: Sequence[Event]
    """The first of them, at least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportHeader:
    cluster_ids: Sequence[str]
    records: int
    """Of the log, each once; without the rows of snapshots."""
    first_offset: int
    last_offset: int
    start_ms: int
    end_ms: int
    topics: int
    partitions: int
    elections: int
    fencings: int
    leaderless_ms: int
    under_replicated_ms: int
    notes: Sequence[str] = ()
    """What was left out and what else a reader has to know, in sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    header: ReportHeader
    bins: Bins
    quorum: QuorumTenures
    brokers: BrokerLanes
    topic_isr: IsrMap
    partition_isr: IsrMap
    balance: Balance
    rates: Rates
    worst: WorstPartitions
    events: Events
    marks: Sequence[Mark]


_NO_ROWS = IsrMap(rows=(), cells=())
EMPTY = Report(
    header=ReportHeader(
        cluster_ids=(),
        records=0,
        first_offset=0,
        last_offset=0,
        start_ms=0,
        end_ms=0,
        topics=0,
        partitions=0,
        elections=0,
        fencings=0,
        leaderless_ms=0,
        under_replicated_ms=0,
    ),
    bins=bins_of(0, 0),
    quorum=QuorumTenures(controllers=(), tenures=()),
    brokers=BrokerLanes(brokers=(), spans=(), failures=()),
    topic_isr=_NO_ROWS,
    partition_isr=_NO_ROWS,
    balance=Balance(brokers=(), led=()),
    rates=Rates(types=(), counts=()),
    worst=WorstPartitions(rows=()),
    events=Events(rows=(), counts={}),
    marks=(),
)
"""What there is to say of a log without records."""
