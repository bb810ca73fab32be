"""``bin/compat PART``: runs beside real Apache Kafka; exit code 1 where one does not come out right."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from compat.agreement import ReplicasDifferError
from compat.kafka.shell import ShellNotLoadedError
from compat.kafka.stock import StockNode, small_stock_node
from compat.kafka.tools import ToolFailedError
from compat.kafka.verifiable import LostRecordError, ReadShortError
from compat.ours import OurNode
from compat.process import ProcessDiedError, WaitedTooLongError
from compat.quota_load import LostWriteError
from compat.runs import (
    clients_deaths,
    configuration,
    cut_off,
    data_disks,
    disks,
    group_clients,
    groups,
    mixed,
    mixed_releases,
    older_controllers,
    our_brokers,
    records,
    replication,
    rolling_upgrade,
    same_responses,
    share_state,
    soak,
    steady_load,
    stock_brokers,
    suites,
    upgrade,
)
from compat.runs.telling import with_times
from compat.sequences import SequenceError
from compat.soaking import run as soaking
from compat.soaking.load import LoadFailedError
from compat.soaking.tally import SoakLossError
from compat.suites.outcomes import SuiteFailedError
from compat.topic_logs import LogsDifferError
from compat.topic_state import StateError
from compat.written import AccountError

INSTALL = Path(__file__).parents[1] / "install"
FETCH = Path(__file__).parents[1] / "kafka" / "fetch"
INSTALL_PACKAGES = Path(__file__).parents[1] / "install-system-packages"
FAILURES = (
    clients_deaths.ClientsDeathsError,
    configuration.ConfigurationError,
    cut_off.CutOffError,
    data_disks.DataDisksError,
    disks.DisksError,
    disks.NodeFaultError,
    group_clients.GroupClientsError,
    groups.GroupsError,
    mixed.MixedRunError,
    older_controllers.OlderControllersError,
    our_brokers.OurBrokersError,
    records.WrongRecordsError,
    replication.ReplicationError,
    same_responses.ResponsesDifferError,
    soak.SoakError,
    soaking.GrowthError,
    LoadFailedError,
    SoakLossError,
    steady_load.SteadyLoadError,
    upgrade.UpgradeError,
    subprocess.CalledProcessError,
    subprocess.TimeoutExpired,
    share_state.ShareStateError,
    stock_brokers.StockBrokersError,
    AccountError,
    LogsDifferError,
    LostRecordError,
    ReadShortError,
    SequenceError,
    ShellNotLoadedError,
    StateError,
    SuiteFailedError,
    ToolFailedError,
    ReplicasDifferError,
    LostWriteError,
    ProcessDiedError,
    WaitedTooLongError,
)

_work_option = click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where nodes keep their data and logs; they stay there.  [default: a folder in the temporary one]",
)

_stocks_option = click.option(
    "--stock",
    "stocks",
    multiple=True,
    type=click.IntRange(1, 2),
    help="Stock voters of three.  [default: 2, then 1]",
)

_versions_option = click.option(
    "--kraft-version",
    "versions",
    multiple=True,
    type=click.IntRange(0, 1),
    help="May be repeated.  [default: both]",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Beside real Apache Kafka, at length: each part prints what happens and ends with exit code 0 if all was right."""


def _work(given: Path | None, part: str) -> Path:
    folder = given or Path(tempfile.mkdtemp(prefix=f"kafkaproto-{part}-"))
    click.echo(f"data and logs of the nodes: {folder}")
    return folder


def _quorums(folder: Path, stocks: Sequence[int], versions: Sequence[int]) -> Iterator[tuple[int, int, Path]]:
    """Each quorum of three that is asked for: stock voters, kraft.version, and where its nodes live."""
    for kraft_version in versions or (1, 0):
        for stock in stocks or (2, 1):
            click.echo(f"{stock} stock and {3 - stock} of ours, kraft.version {kraft_version}")
            yield stock, kraft_version, folder / f"stock-{stock}-kraft-{kraft_version}"


@cli.command("mixed")
@_work_option
@click.option(
    "--rounds",
    default=3,
    show_default=True,
    type=click.IntRange(1),
    help="Deaths of a leader of each implementation.",
)
@_stocks_option
@_versions_option
def mixed_command(work: Path | None, rounds: int, stocks: tuple[int, ...], versions: tuple[int, ...]) -> None:
    """Quorums of stock controllers and ours: elections, deaths of leaders, voters, snapshots, two releases."""
    folder = _work(work, "mixed")
    for stock, kraft_version, place in _quorums(folder, stocks, versions):
        outcome = mixed.run(
            place, stock=stock, kraft_version=kraft_version, tell=with_times(), times_each=rounds
        )
        click.echo(
            f"killed while leading {outcome.killed_while_leading}, stopped {outcome.stopped_while_leading}; writes"
            f" {outcome.writes:,}, lost 0; longest without one {outcome.longest_gap_s:.2f} s; each replica"
            f" {outcome.records:,} records, all the same"
        )
    subprocess.run([FETCH, mixed_releases.OLDER], check=True)
    click.echo(f"one of Apache Kafka {mixed_releases.OLDER}, one of the newest release and one of ours")
    result = mixed_releases.run(folder / "releases", tell=with_times())
    click.echo(
        f"{len(result.refused)} leaders refused the newest level; writes {result.quorum.writes:,}, lost 0"
    )


@cli.command("data")
@_work_option
@click.option("--rounds", default=2, show_default=True, type=click.IntRange(1), help="Deaths of each broker.")
@_stocks_option
def data_command(work: Path | None, rounds: int, stocks: tuple[int, ...]) -> None:
    """Stock brokers and ours replicate the same partitions, and take over each other's directories; nothing is lost."""
    folder = _work(work, "data")
    for stock in stocks or (2, 1):
        click.echo(f"{stock} stock and {3 - stock} of ours")
        outcome = replication.run(folder / f"stock-{stock}", stock=stock, tell=with_times(), rounds=rounds)
        click.echo(
            f"killed {outcome.killed_while_leading}; records {outcome.acknowledged:,}, lost 0; longest without one"
            f" {outcome.longest_gap_s:.2f} s; {outcome.replicas_compared} replicas, all the same"
        )
    click.echo("a node's directories under the other server, and back")
    for result in data_disks.run(folder / "disks", tell=with_times()):
        click.echo(
            f"{'; '.join(result.handed_over)}: {result.records:,} records, lost 0; {result.states_compared} partitions"
            " told alike before and after"
        )


@cli.command("groups")
@_work_option
@_stocks_option
def groups_command(work: Path | None, stocks: tuple[int, ...]) -> None:
    """Groups and transactions, coordinated in turn by stock brokers and ours, each of which is killed."""
    folder = _work(work, "groups")
    for stock in stocks or (2, 1):
        click.echo(f"{stock} stock and {3 - stock} of ours")
        outcome = groups.run(folder / f"stock-{stock}", brokers=3, stock=stock, tell=with_times())
        pauses = ", ".join(f"{name} {pause_s:.1f} s" for name, pause_s in outcome.longest_pause_s.items())
        click.echo(
            f"died while they coordinated all: {', '.join(outcome.died)}; longest without a commit {pauses};"
            f" {outcome.written:,} records read and copied, lost 0, read or copied again 0"
        )


@cli.command("clients-deaths")
@_work_option
@click.option(
    "--megabytes",
    default=20,
    show_default=True,
    type=click.IntRange(0),
    help="Of each row of a compression and acks; 0 for none of them.",
)
@click.option(
    "--large", default=0, show_default=True, type=click.IntRange(0), help="Of one more row of each client."
)
@click.option(
    "--client",
    "names",
    multiple=True,
    type=click.Choice(list(clients_deaths.CLIENTS)),
    help="May be repeated.  [default: all]",
)
@click.option(
    "--compression",
    "compressions",
    multiple=True,
    type=click.Choice(clients_deaths.COMPRESSIONS),
    help="Of the rows that are not large; may be repeated.  [default: all]",
)
@click.option("--stock", "is_stock", is_flag=True, help="On Apache Kafka's nodes, to compare.")
def clients_deaths_command(
    work: Path | None,
    megabytes: int,
    large: int,
    names: tuple[str, ...],
    compressions: tuple[str, ...],
    is_stock: bool,
) -> None:
    """Clients write with each compression and acks; the leader is killed in the middle; all is read back."""
    subprocess.run([INSTALL, "--clients"], check=True)
    wanted = list(
        clients_deaths.cases(
            names or list(clients_deaths.CLIENTS),
            megabytes=megabytes,
            large=large,
            only=compressions or clients_deaths.COMPRESSIONS,
        )
    )
    make_node = small_stock_node if is_stock else OurNode
    rows = clients_deaths.run(_work(work, "clients-deaths"), wanted, tell=with_times(), make_node=make_node)
    click.echo("\n".join(clients_deaths.table(rows)))
    wrong = [each for row in rows for each in clients_deaths.violations(row)]
    if wrong:
        raise clients_deaths.ClientsDeathsError(
            f"{len(wrong)} rows are not as they must be, first: {wrong[0]}"
        )


@cli.command("group-clients")
@_work_option
@click.option(
    "--client",
    "names",
    multiple=True,
    type=click.Choice(list(group_clients.CLIENTS)),
    help="May be repeated.  [default: all]",
)
@click.option(
    "--rounds", default=3, show_default=True, type=click.IntRange(1), help="Deaths of the coordinator."
)
@click.option("--stock", "is_stock", is_flag=True, help="On Apache Kafka's nodes, to compare.")
def group_clients_command(work: Path | None, names: tuple[str, ...], rounds: int, is_stock: bool) -> None:
    """Other languages' clients in groups: members come, die and leave, and the groups' coordinator is killed."""
    subprocess.run([INSTALL, "--clients"], check=True)
    group_clients.run(
        _work(work, "group-clients"),
        names or list(group_clients.CLIENTS),
        rounds=rounds,
        tell=with_times(),
        make_node=small_stock_node if is_stock else OurNode,
    )


@cli.command("cut-off")
@_work_option
@click.option(
    "--rounds",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="Of every cut of a leader or follower.",
)
@click.option(
    "--random", "random_cuts", default=40, show_default=True, type=click.IntRange(0), help="Cuts at random."
)
@click.option("--seed", default=1, show_default=True, help="Decides what is cut at random, and for how long.")
@_stocks_option
@_versions_option
def cut_off_command(
    work: Path | None,
    rounds: int,
    random_cuts: int,
    seed: int,
    stocks: tuple[int, ...],
    versions: tuple[int, ...],
) -> None:
    """Networks that are cut: leaders, followers and brokers of both implementations go silent, and come back."""
    for stock, kraft_version, place in _quorums(_work(work, "cut-off"), stocks, versions):
        outcome = cut_off.run(
            place,
            stock=stock,
            kraft_version=kraft_version,
            tell=with_times(),
            times_each=rounds,
            random_cuts=random_cuts,
            seed=seed,
        )
        click.echo(
            f"{len(outcome.leaders_cut)} times a leader was cut, {len(outcome.followers_cut)} times a follower,"
            f" {outcome.random_cuts} times at random, {len(outcome.brokers_fenced)} times a broker; a leader resigned"
            f" after {outcome.longest_to_resign_s:.2f} s at the latest; writes {outcome.writes:,}, lost 0; longest"
            f" without one {outcome.longest_gap_s:.2f} s; each replica {outcome.records:,} records, all the same"
        )


@cli.command("disks")
@_work_option
@click.option(
    "--rounds", default=3, show_default=True, type=click.IntRange(1), help="There and back, of a quorum."
)
@_versions_option
def disks_command(work: Path | None, rounds: int, versions: tuple[int, ...]) -> None:
    """Stock controllers' data directories under ours and back; the tools of both implementations on what both wrote."""
    folder = _work(work, "disks")
    for kraft_version in versions or (1, 0):
        click.echo(f"kraft.version {kraft_version}")
        place = folder / f"kraft-{kraft_version}"
        outcome = disks.run(place, tell=with_times(), rounds=rounds, kraft_version=kraft_version)
        click.echo(
            f"{len(outcome.taken_over)} times a node went on with another implementation's directory;"
            f" {outcome.writes:,} writes,"
            f" lost 0; longest without one {outcome.longest_gap_s:.2f} s; {outcome.lines_compared:,} lines of the tools"
            " are the same"
        )


@cli.command("configuration")
@_work_option
def configuration_command(work: Path | None) -> None:
    """The properties files that stock users have, for each role, at both nodes; wrong values in them at ours."""
    configuration.run(_work(work, "configuration"), node_classes=(OurNode, StockNode), tell=with_times())


@cli.command("upgrade")
@_work_option
@click.option(
    "--from",
    "releases",
    multiple=True,
    type=click.Choice(rolling_upgrade.RELEASES),
    help="[default: all of them]",
)
@_versions_option
def upgrade_command(work: Path | None, releases: tuple[str, ...], versions: tuple[int, ...]) -> None:
    """Clusters of older releases become ours: all nodes, one by one; and controllers alone, theirs again, and ours."""
    folder = _work(work, "upgrade")
    for release in releases or rolling_upgrade.RELEASES:
        subprocess.run([FETCH, release], check=True)
        click.echo(f"all nodes of {release}")
        rolling_upgrade.run(folder / f"{release}-whole", release=release, tell=with_times())
        for kraft_version in versions or (0, 1) if release in upgrade.HIGHEST else ():
            click.echo(f"from {release}, kraft.version {kraft_version}")
            place = folder / f"{release}-kraft-{kraft_version}"
            outcome = upgrade.run(place, release=release, kraft_version=kraft_version, tell=with_times())
            click.echo(
                f"metadata.version {', '.join(outcome.levels)}; {outcome.writes:,} quota writes and"
                f" {outcome.records:,} records, lost 0; longest without a write {outcome.longest_gap_s:.2f} s"
            )


@cli.command("soak")
@_work_option
@click.option(
    "--minutes",
    default=20.0,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    help="Of each run.",
)
@click.option("--hours", type=click.FloatRange(0, min_open=True), help="The same in hours.")
@click.option(
    "--seed",
    default=1,
    show_default=True,
    help="Decides who dies, how, and for how long; and the loads' chances.",
)
@click.option(
    "--deaths/--no-deaths",
    "has_deaths",
    default=True,
    show_default=True,
    help="Whether nodes die. Without deaths only the last run happens, so that each process lives to its end.",
)
@click.option(
    "--growth-mib-an-hour",
    "growth_limit",
    type=float,
    help="By how much the RSS of a node without deaths may grow in the second half.  [default: no limit]",
)
@click.option(
    "--row-minutes",
    default=3.0,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    help="Between two rows of the table of memory.",
)
def soak_command(
    work: Path | None,
    minutes: float,
    hours: float | None,
    seed: int,
    has_deaths: bool,
    growth_limit: float | None,
    row_minutes: float,
) -> None:
    """Random deaths under load: stock brokers on our controllers, quorums of both implementations. Then three nodes of
    ours under everything at once, without deaths, whose memory is watched.
    """
    folder, lasting_s = _work(work, "soak"), 60 * minutes if hours is None else 3600 * hours
    if has_deaths:
        pace = soak.Pace(lasting=lasting_s)
        soak.run(folder / "stock-brokers", seed=seed, pace=pace, tell=with_times())
        for stock in (1, 2):
            soak.run_mixed(folder / f"stock-{stock}", stock=stock, seed=seed, pace=pace, tell=with_times())
    plan = soaking.Plan(lasting_s=lasting_s, seed=seed, row_s=60 * row_minutes, growth_limit=growth_limit)
    soaking.run(folder / "everything", plan, tell=with_times())


@cli.command("older-controllers")
@_work_option
@click.option(
    "--release",
    "releases",
    multiple=True,
    type=click.Choice(rolling_upgrade.RELEASES),
    help="Of the controller.  [default: all of them]",
)
def older_controllers_command(work: Path | None, releases: tuple[str, ...]) -> None:
    """Our brokers, and one of the same release, under a controller of an older release of Apache Kafka."""
    folder = _work(work, "older-controllers")
    for release in releases or rolling_upgrade.RELEASES:
        subprocess.run([FETCH, release], check=True)
        older_controllers.run(folder / release, release=release, tell=with_times())


@cli.command("our-brokers")
@_work_option
def our_brokers_command(work: Path | None) -> None:
    """Our brokers beside a stock one on stock controllers: all that a broker does without records of topics."""
    folder = _work(work, "our-brokers")
    for name, has_static_voters in (("bootstrap-servers", False), ("voters", True)):
        our_brokers.run(folder / name, tell=with_times(), has_static_voters=has_static_voters)


@cli.command("share-state")
@_work_option
def share_state_command(work: Path | None) -> None:
    """A share group on a stock broker, whose state our broker keeps: both are killed."""
    share_state.run(_work(work, "share-state"), tell=with_times())


@cli.command("stock-brokers")
@_work_option
def stock_brokers_command(work: Path | None) -> None:
    """Stock brokers on our controllers: measures, transactions, quotas, tokens, deaths, snapshots, rolling restarts."""
    stock_brokers.run(_work(work, "stock-brokers"), tell=with_times())


@cli.command("suites")
@_work_option
@click.option(
    "--suite",
    "names",
    multiple=True,
    type=click.Choice(["kgo", "kafka-python", "librdkafka", "librdkafka-noautocreate"]),
    help="May be repeated.  [default: all that can be run]",
)
@click.option(
    "--librdkafka",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A folder with librdkafka's sources and its built tests; without it, those suites are not run.",
)
@click.option("--only", default="", help="Only tests that have this in their name.")
@click.option("--all", "is_all", is_flag=True, help="Also what is left out; it may fail.")
@click.option("--stock", "is_stock", is_flag=True, help="Against Apache Kafka alone, to compare.")
def suites_command(
    work: Path | None,
    names: tuple[str, ...],
    librdkafka: Path | None,
    only: str,
    is_all: bool,
    is_stock: bool,
) -> None:
    """Other projects' own test suites: franz-go's kgo, kafka-python's, librdkafka's; see docs/suites.md."""
    known = tuple(suites.available(librdkafka))
    if missing := sorted(set(names) - set(known)):
        raise click.UsageError(f"{', '.join(missing)}: needs --librdkafka")
    if not names or "kgo" in names:
        subprocess.run([INSTALL_PACKAGES, "go"], check=True)
    suites.run(
        _work(work, "suites"),
        names=names or known,
        librdkafka=librdkafka,
        is_all=is_all,
        only=only,
        tell=with_times(),
        is_stock=is_stock,
    )


def main() -> None:
    """Run a part; what went wrong is told in a few lines."""
    try:
        cli(prog_name="compat")
    except FAILURES as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
