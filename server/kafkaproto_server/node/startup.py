"""Opens directories and log, and builds a quorum driver that is ready to run.

Everything here blocks and runs in a worker thread. A directory is used only if it is formatted and agrees with the
configuration and the other directories. The metadata log is recovered before any other part of the node uses it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial

from kafkaproto import uuids
from kafkaproto_server.base.ports import Clock, Disk, Lock, Rng
from kafkaproto_server.base.types import METADATA_LOG_NAME, METADATA_TOPIC_ID, NO_NODE, Endpoint, ReplicaKey
from kafkaproto_server.config.node_config import Config
from kafkaproto_server.core.broker.directories import LogDirectories, LogDirectory
from kafkaproto_server.core.controller.machine.controller import Controller
from kafkaproto_server.core.controller.values.config import ControllerConfig
from kafkaproto_server.core.raft.node import RaftNode
from kafkaproto_server.core.raft.values import events as raft_events
from kafkaproto_server.core.raft.values.config import RaftConfig
from kafkaproto_server.core.raft.values.control import RecordedControl
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.epoch_start import EpochStart
from kafkaproto_server.core.raft.values.messages import Destination
from kafkaproto_server.core.raft.values.trust import LAST_EPOCH
from kafkaproto_server.core.raft.values.voters import VoterSet
from kafkaproto_server.shell.net.streams import Connect, connect_tcp
from kafkaproto_server.shell.process.threads import SYSTEM_THREADS, Threads
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.quorum.host import QuorumHost
from kafkaproto_server.shell.quorum.metadata_log import QuorumStorage
from kafkaproto_server.shell.quorum.snapshots.log_contents import log_controls, position_of, snapshot_controls
from kafkaproto_server.shell.replicas.files.survey import DirectorySurvey, survey_directory, without_moved
from kafkaproto_server.shell.storage.directories.clean_shutdown_file import (
    take_clean_shutdown,
    write_clean_shutdown,
)
from kafkaproto_server.shell.storage.directories.directories import OpenedDirectories, open_directories
from kafkaproto_server.shell.storage.directories.format import FormatRequest, QuorumStart, format_directories
from kafkaproto_server.shell.storage.directories.meta_properties import new_directory_id, read_log_directory
from kafkaproto_server.shell.storage.errors import (
    CorruptFileError,
    StorageError,
    UnusableFileError,
    is_shortage,
    of_log,
)
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.reached import Reached, find_reached
from kafkaproto_server.shell.storage.log.recovery import RecoveryPolicy
from kafkaproto_server.shell.storage.log.retention import RetentionLimits
from kafkaproto_server.shell.storage.log.segment import LogConfig
from kafkaproto_server.shell.storage.metadata.bootstrap import read_bootstrap
from kafkaproto_server.shell.storage.metadata.quorum_state_file import QuorumStateFile
from kafkaproto_server.shell.storage.metadata.reconciliation import (
    check_votes,
    reconcile,
    snapshot_remedy,
    votes_remedy,
)
from kafkaproto_server.shell.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID, SnapshotStore
from kafkaproto_server.shell.storage.offset_checkpoints import are_whole

_log = logging.getLogger("kafkaproto.server.node")

FIRST_BOOTSTRAP_SERVER_ID = -2
"""The id used for the first bootstrap server, whose node id is unknown. The next server has the id one below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedNode:
    """A node's state as found on disk, ready to run."""

    cluster_id: str
    metadata_directory_id: bytes
    """Id of the directory with the metadata log."""
    log_directories: LogDirectories
    """The directories of ``log.dirs``."""
    previous_broker_epoch: int
    """Broker epoch of the last clean shutdown; -1 if there was none."""
    broker_incarnation_id: bytes
    """New for this start of the process."""
    surveys: dict[bytes, DirectorySurvey]
    """What lies in each directory of ``log.dirs`` that works, by the directory's id; empty if the node is no broker."""
    locks: tuple[Lock, ...]
    """The locks of the log directories."""
    quorum: QuorumDriver

    def release(self) -> None:
        """Release the directories, after everything in them is closed."""
        for lock in self.locks:
            lock.release()

    def abandon(self) -> None:
        """Close the log and release the directories as they are, as the end of the process would."""
        try:
            self.quorum.abandon()
        finally:
            self.release()


def open_node(
    config: Config,
    *,
    controller_endpoints: tuple[Endpoint, ...],
    format_if_new: bool,
    disk: Disk,
    clock: Clock,
    rng: Rng,
    threads: Threads = SYSTEM_THREADS,
    connect: Connect = connect_tcp,
) -> OpenedNode:
    """Open directories and log. Raises StorageError, CorruptFileError and OSError, which name path and problem.

    ``controller_endpoints`` are those that this node reports to the quorum. ``format_if_new``: if all directories are
    empty, they are formatted as a new cluster that consists of this node.
    """
    # The metadata directory is often one of log.dirs. It cannot be locked twice.
    paths = tuple(dict.fromkeys((*config.log_dirs, config.metadata_log_dir)))
    if format_if_new:
        _format_if_new(config, paths, controller_endpoints, disk=disk, clock=clock, rng=rng)
    opened = open_directories(
        disk,
        paths,
        metadata_path=config.metadata_log_dir,
        node_id=config.node_id,
        new_uuid=rng.uuid,
        wall_ms=clock.wall_ms(),
    )
    with ExitStack() as if_it_fails:
        for lock in opened.locks:
            if_it_fails.callback(lock.release)
        node = _open_node(
            config,
            opened,
            if_it_fails,
            controller_endpoints=controller_endpoints,
            disk=disk,
            clock=clock,
            rng=rng,
            threads=threads,
            connect=connect,
        )
        if_it_fails.pop_all()
    return node


def _open_node(
    config: Config,
    opened: OpenedDirectories,
    if_it_fails: ExitStack,
    *,
    controller_endpoints: tuple[Endpoint, ...],
    disk: Disk,
    clock: Clock,
    rng: Rng,
    threads: Threads,
    connect: Connect,
) -> OpenedNode:
    log_directories = _log_directories(config, opened)
    metadata = opened.by_path[config.metadata_log_dir].properties
    assert metadata is not None
    assert metadata.cluster_id is not None
    assert metadata.directory_id is not None
    incarnation_id = rng.uuid()
    storage = _open_storage(config, disk, if_it_fails)
    raft_config = _raft_config(config, metadata.directory_id, controller_endpoints)
    controller = None
    if config.is_controller:
        with _with_remedy(storage.log.directory, lambda: snapshot_remedy(storage.log, storage.snapshots)):
            bootstrap_records = read_bootstrap(disk, config.metadata_log_dir)
        controller = Controller(
            node_id=config.node_id,
            cluster_id=metadata.cluster_id,
            config=controller_config(config, incarnation_id),
            rng=rng,
            bootstrap_records=bootstrap_records,
        )
    driver = QuorumDriver(
        config=raft_config,
        cluster_id=metadata.cluster_id,
        raft=RaftNode(raft_config, rng),
        opened=_recovered(storage),
        controller=controller,
        storage=storage,
        host=QuorumHost(clock=clock, rng=rng, threads=threads, connect=connect),
    )
    # Last: if the start fails before, the mark of the clean shutdown must still be there.
    clean_epochs = _take_clean_shutdowns(config, log_directories, disk)
    surveys = _surveys(config, log_directories, disk, clean_epochs)
    return OpenedNode(
        cluster_id=metadata.cluster_id,
        metadata_directory_id=metadata.directory_id,
        log_directories=log_directories,
        previous_broker_epoch=_previous_broker_epoch(log_directories, clean_epochs),
        broker_incarnation_id=incarnation_id,
        surveys=surveys,
        locks=opened.locks,
        quorum=driver,
    )


def _log_directories(config: Config, opened: OpenedDirectories) -> LogDirectories:
    """The directories of ``log.dirs``. Raises StorageError if none of a broker's directories works."""
    directories = LogDirectories(
        [
            LogDirectory(path=path, directory_id=found.directory_id, problem=found.problem)
            for path, found in ((path, opened.by_path[path]) for path in config.log_dirs)
        ]
    )
    for directory in directories.all:
        if directory.problem is not None:
            _log.error("log directory %s is offline: %s", directory.path, directory.problem)
    _check_any_online(config, directories)
    return directories


def _take_clean_shutdowns(config: Config, directories: LogDirectories, disk: Disk) -> dict[str, int]:
    """The broker epoch of the clean shutdown that each directory shows, by path; -1 for none."""
    epochs = {}
    for path in _online_paths(directories):
        try:
            epoch = take_clean_shutdown(disk, [path])
            # Without them nobody knows what is missing. Somebody may have emptied the directory, and left this mark,
            # whose name begins with a dot.
            if epoch != NO_NODE and config.is_broker and not are_whole(disk, path):
                _log.warning(
                    "%s: the checkpoints that a stop in order leaves are gone or damaged: its logs are read as after a"
                    " kill, and do not count as complete",
                    path,
                )
                epoch = NO_NODE
            epochs[path] = epoch
        except OSError as error:
            _failed_at_start(config, directories, path, error)
    return epochs


def _previous_broker_epoch(directories: LogDirectories, clean_epochs: Mapping[str, int]) -> int:
    """The broker epoch of the last shutdown if all directories work and show it to be clean, else -1."""
    epochs = {NO_NODE if each.problem else clean_epochs[each.path] for each in directories.all}
    # What a directory without the mark has lost, or one that is offline, was acknowledged by the broker as a whole.
    return epochs.pop() if len(epochs) == 1 else NO_NODE


def _surveys(
    config: Config, directories: LogDirectories, disk: Disk, clean_epochs: Mapping[str, int]
) -> dict[bytes, DirectorySurvey]:
    if not config.is_broker:
        return {}
    surveys = {}
    for each in directories.all:
        if each.problem is None and each.directory_id is not None:
            try:
                surveys[each.directory_id] = survey_directory(
                    disk, each.path, each.directory_id, is_clean=clean_epochs[each.path] != NO_NODE
                )
            except OSError as error:
                _failed_at_start(config, directories, each.path, error)
    return without_moved(surveys)


def _failed_at_start(config: Config, directories: LogDirectories, path: str, error: OSError) -> None:
    """A directory failed after it was opened: start without it. Raises StorageError if that is not possible, and the
    error if it says nothing about the directory."""
    if is_shortage(error):
        raise error
    if path == config.metadata_log_dir:
        raise StorageError(f"the metadata log's directory cannot be used: {error}") from error
    directories.fail(path, str(error))
    _log.error("log directory %s is offline: %s", path, error)
    _check_any_online(config, directories)


def _check_any_online(config: Config, directories: LogDirectories) -> None:
    if config.is_broker and not directories.online_ids:
        problems = "; ".join(each.problem for each in directories.all if each.problem is not None)
        raise StorageError(f"none of the directories in log.dirs can be used: {problems}")


def _online_paths(directories: LogDirectories) -> list[str]:
    return [each.path for each in directories.all if each.problem is None]


def _raft_config(
    config: Config, directory_id: bytes, controller_endpoints: tuple[Endpoint, ...]
) -> RaftConfig:
    static_voters = config.controller_quorum_voters
    return RaftConfig(
        key=ReplicaKey(id=config.node_id, directory_id=directory_id),
        can_be_voter=config.is_controller,
        endpoints=controller_endpoints,
        listener_name=config.controller_listener_names[0],
        static_voters=VoterSet(voters=static_voters) if static_voters else None,
        bootstrap_servers=tuple(
            Destination(id=FIRST_BOOTSTRAP_SERVER_ID - index, host=address.host, port=address.port)
            for index, address in enumerate(config.controller_quorum_bootstrap_servers)
        ),
        election_timeout_ms=config.controller_quorum_election_timeout_ms,
        fetch_timeout_ms=config.controller_quorum_fetch_timeout_ms,
        election_backoff_max_ms=config.controller_quorum_election_backoff_max_ms,
        request_timeout_ms=config.controller_quorum_request_timeout_ms,
        retry_backoff_ms=config.controller_quorum_retry_backoff_ms,
        append_linger_ms=config.controller_quorum_append_linger_ms,
        fetch_max_bytes=config.controller_quorum_fetch_max_bytes,
        fetch_snapshot_max_bytes=config.controller_quorum_fetch_snapshot_max_bytes,
        auto_join=config.is_controller and config.controller_quorum_auto_join_enable,
    )


def _open_storage(config: Config, disk: Disk, if_it_fails: ExitStack) -> QuorumStorage:
    """The metadata log's directory, repaired after a crash. If the newest snapshot is ahead of the log, the log
    continues at the snapshot's end."""
    directory = f"{config.metadata_log_dir}/{METADATA_LOG_NAME}"
    log_config = LogConfig(
        segment_bytes=config.metadata_log_segment_bytes, segment_ms=config.metadata_log_segment_ms
    )
    try:
        # A node that is no controller promised nobody to keep its records: it fetches them again.
        with of_log(directory):
            policy = RecoveryPolicy(reached=_reached(disk, directory) if config.is_controller else None)
            log = Log.open(disk, directory, topic_id=METADATA_TOPIC_ID, policy=policy, config=log_config)
    except UnusableFileError as error:
        raise CorruptFileError(
            error.path,
            f"{error.reason}. Restore the file. If other voters hold the log, you can also move {directory} away and"
            " let this node fetch it again",
        ) from error
    if_it_fails.callback(log.abandon)
    if log.recovery_note is not None:
        _log.warning("%s", log.recovery_note)
    snapshots = SnapshotStore(disk, log.directory)
    snapshots.remove_leftovers()
    # Before the votes are checked, because it may empty the log in favour of a snapshot.
    if (note := reconcile(log, snapshots)) is not None:
        _log.warning("%s", note)
    if config.is_controller:
        check_votes(disk, log)
    return QuorumStorage(
        disk=disk,
        log=log,
        snapshots=snapshots,
        quorum_state_file=QuorumStateFile(disk, log.directory),
        max_bytes_between_snapshots=config.metadata_log_max_record_bytes_between_snapshots,
        max_snapshot_interval_ms=config.metadata_log_max_snapshot_interval_ms,
        retention=RetentionLimits(
            max_bytes=config.metadata_max_retention_bytes, max_age_ms=config.metadata_max_retention_ms
        ),
    )


def _reached(disk: Disk, directory: str) -> Reached | None:
    latest = SnapshotStore(disk, directory).latest() if disk.is_directory(directory) else None
    return find_reached(disk, directory, 0 if latest is None else latest.end_offset)


def _format_if_new(
    config: Config,
    paths: tuple[str, ...],
    controller_endpoints: tuple[Endpoint, ...],
    *,
    disk: Disk,
    clock: Clock,
    rng: Rng,
) -> None:
    # Any file in one of them may be valuable data: then the operator has to decide.
    # So may what cannot be read.
    found = [read_log_directory(disk, path) for path in paths]
    if any(each.has_failed or (each.exists and not _is_empty_directory(disk, each.path)) for each in found):
        return
    request = FormatRequest(
        # A cluster id is made like a directory id: random, and not beginning with a dash.
        cluster_id=uuids.to_text(new_directory_id(rng.uuid)),
        node_id=config.node_id,
        directories=config.log_dirs,
        metadata_directory=config.metadata_log_dir,
        is_controller=config.is_controller,
        has_static_voters=False,
        controller_endpoints=controller_endpoints,
        quorum_start=QuorumStart.STANDALONE,
    )
    format_directories(
        disk, request, wall_ms=clock.wall_ms, new_uuid=rng.uuid, report=partial(_log.info, "%s")
    )


def _is_empty_directory(disk: Disk, path: str) -> bool:
    return disk.is_directory(path) and not disk.list_directory(path)


def mark_clean_shutdown(
    directories: LogDirectories, *, disk: Disk, broker_epoch: int, unread: Collection[bytes] = ()
) -> None:
    """Record the controlled shutdown in all log directories that work, but for those whose ids are in ``unread``."""
    # One by one: a directory that fails now must not keep the others from being marked.
    for each in directories.all:
        if each.problem is not None or each.directory_id in unread:
            continue
        path = each.path
        try:
            write_clean_shutdown(disk, [path], broker_epoch)
        except OSError as error:
            # The next start counts the shutdown as a crash, which is safe.
            _log.error("log directory %s failed while the node stopped: %s", path, error)


def controller_config(config: Config, incarnation_id: bytes) -> ControllerConfig:
    """The controller's configuration from the node's properties; ``incarnation_id`` is that of the node's broker."""
    return ControllerConfig(
        broker_session_timeout_ms=config.broker_session_timeout_ms,
        metadata_max_idle_interval_ms=config.metadata_max_idle_interval_ms,
        num_partitions=config.num_partitions,
        default_replication_factor=config.default_replication_factor,
        delete_topic_enable=config.delete_topic_enable,
        auto_leader_rebalance_enable=config.auto_leader_rebalance_enable,
        leader_imbalance_check_interval_seconds=config.leader_imbalance_check_interval_seconds,
        unclean_leader_election_interval_ms=config.unclean_leader_election_interval_ms,
        broker_death_proof_enable=config.broker_death_proof_enable,
        controller_quota_window_num=config.controller_quota_window_num,
        controller_quota_window_size_seconds=config.controller_quota_window_size_seconds,
        authorizer_class_name=config.authorizer_class_name,
        super_users=config.super_users,
        allow_everyone_if_no_acl_found=config.allow_everyone_if_no_acl_found,
        delegation_token_secret_key=config.delegation_token_secret_key,
        delegation_token_max_lifetime_ms=config.delegation_token_max_lifetime_ms,
        delegation_token_expiry_time_ms=config.delegation_token_expiry_time_ms,
        delegation_token_expiry_check_interval_ms=config.delegation_token_expiry_check_interval_ms,
        static_config=config.properties.values,
        local_broker_incarnation_id=incarnation_id if config.is_broker else None,
        static_voter_ids=tuple(voter.key.id for voter in config.controller_quorum_voters),
    )


def _last_epoch_passed(epoch: int) -> str:
    """The error text for an epoch that leaves no room for elections, with a repair that cannot elect two leaders in one
    epoch."""
    return (
        f"leaderEpoch is {epoch}, and no leader can be elected after epoch {LAST_EPOCH}. No quorum gets there by "
        f"itself; some request brought it to that epoch. To repair it, stop all controllers, find the highest leader "
        f"epoch in their logs (kafka-dump-log), and write one leaderEpoch that is higher by 1000 or more, with "
        f"leaderId -1 and votedId -1, into quorum-state on all of them"
    )


@contextmanager
def _with_remedy(directory: str, remedy: Callable[[], str]) -> Iterator[None]:
    """If a file of the metadata log is damaged, or something else is in its place, the error says what to do."""
    try:
        with of_log(directory):
            yield
    except CorruptFileError as error:
        raise CorruptFileError(error.path, f"{error.reason}. {remedy()}", position=error.position) from error


def _recovered(storage: QuorumStorage) -> raft_events.Opened:
    """The state of the log, its snapshots and the last election, for the Raft core."""
    log, snapshots = storage.log, storage.snapshots
    with _with_remedy(log.directory, lambda: votes_remedy(log)):
        election = storage.quorum_state_file.read()
    if election is not None and election.leader_epoch > LAST_EPOCH:
        raise CorruptFileError(storage.quorum_state_file.path, _last_epoch_passed(election.leader_epoch))
    controls: list[RecordedControl] = []
    position = 0
    # Here the 0-0 snapshot counts: it holds the first voters.
    if (latest := snapshots.latest()) is not None:
        with _with_remedy(log.directory, lambda: snapshot_remedy(log, snapshots)):
            controls += snapshot_controls(snapshots, latest)
        position = latest.end_offset
    controls += log_controls(log, position)
    return raft_events.Opened(
        log_start_offset=log.log_start_offset,
        log_end_offset=log.log_end_offset,
        epoch_starts=tuple(EpochStart(epoch=epoch, start_offset=start) for epoch, start in log.epoch_starts),
        snapshots=tuple(
            raft_events.StoredSnapshot(id=position_of(each), size_bytes=snapshots.size(each))
            for each in snapshots.ids()
            # The 0-0 snapshot is never served to followers: each voter has its own (KIP-853).
            if each != BOOTSTRAP_SNAPSHOT_ID
        ),
        election=None
        if election is None
        else ElectionState(
            epoch=election.leader_epoch, leader_id=election.leader_id, voted_key=election.voted
        ),
        control_records=tuple(controls),
    )
