"""Formats log directories, as ``kafka-storage format`` does (KIP-631, KIP-853).

Each log directory gets ``meta.properties``, once in its life. A controller's directory of the metadata log also gets
a 0-0 snapshot, with the records that the log of a new cluster begins with. If the quorum keeps its voters in its log,
that snapshot also sets the first voters, and nothing else does. ``meta.properties`` is written last. So a directory
that a crash left half done counts as not formatted, and can be formatted again.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kafkaproto import uuids
from kafkaproto.directory_files import MetaProperties, is_reserved_directory_id
from kafkaproto.message import Message
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.base.types import MAX_PORT, METADATA_TOPIC, Endpoint, ReplicaKey, Voter
from kafkaproto_server.metadata.features import (
    FEATURES,
    KRAFT_VERSION,
    LATEST_METADATA_VERSION,
    METADATA_VERSION,
    MINIMUM_METADATA_VERSION,
    MetadataVersion,
    check_dependencies,
    default_levels,
    metadata_version,
    metadata_version_of_release,
)
from kafkaproto_server.shell.storage.atomic import make_directory_durably
from kafkaproto_server.shell.storage.directories.meta_properties import (
    FoundLogDirectory,
    find_mismatches,
    new_directory_id,
    read_log_directory,
    write_meta_properties,
)
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.shell.storage.metadata.bootstrap import (
    encode_initial_snapshot,
    feature_records,
    write_initial_snapshot,
)
from kafkaproto_server.shell.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID, SnapshotStore

_VOTER_TEXT = re.compile(r"(?P<id>[^@]*)@(?P<host>\[[^\]]*\]|[^:\[\]]*):(?P<port>[^:]*):(?P<directory>[^:]*)")


class FormatError(StorageError):
    """The options contradict each other, or the directories are not in a state that can be formatted."""


class QuorumStart(enum.Enum):
    """How this node's quorum is to begin."""

    UNSPECIFIED = "unspecified"
    """No option given: the voters are in ``controller.quorum.voters``, or the node is only a broker."""
    STANDALONE = "--standalone"
    """This controller is the sole first voter."""
    NO_INITIAL_CONTROLLERS = "--no-initial-controllers"
    """The node joins a quorum that other nodes begin."""
    INITIAL_CONTROLLERS = "--initial-controllers"
    """The first voters are listed, the same on every node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatRequest:
    """What to format, and how."""

    cluster_id: str
    node_id: int
    directories: tuple[str, ...]
    """All log directories. That of the metadata log may be one of them or not."""
    metadata_directory: str
    is_controller: bool
    has_static_voters: bool
    """Whether ``controller.quorum.voters`` is set."""
    controller_endpoints: tuple[Endpoint, ...] = ()
    """The addresses of this controller; needed for STANDALONE."""
    quorum_start: QuorumStart = QuorumStart.UNSPECIFIED
    initial_voters: tuple[Voter, ...] = ()
    """The first voters for INITIAL_CONTROLLERS."""
    release_version: str | None = None
    """For example ``4.1-IV1`` or ``4.1``; None for the newest."""
    feature_levels: Mapping[str, int] = field(default_factory=dict)
    """Feature levels that differ from the release's defaults."""
    scram_records: tuple[Message, ...] = ()
    """UserScramCredentialRecords of the users that exist from the start."""
    ignore_formatted: bool = False
    """Leave formatted directories as they are instead of refusing."""


def parse_initial_controllers(text: str, listener_name: str) -> tuple[Voter, ...]:
    """The voters in ``id@host:port:directoryId,...``, each with an endpoint for ``listener_name``. Raises FormatError.

    An IPv6 address is written in brackets.
    """
    voters = [_parse_voter(part.strip(), listener_name) for part in text.split(",") if part.strip()]
    if not voters:
        raise FormatError("--initial-controllers names no voter; the form is id@host:port:directoryId,...")
    for position, voter in enumerate(voters):
        for other in voters[:position]:
            if voter.key.id == other.key.id:
                raise FormatError(f"--initial-controllers names node id {voter.key.id} more than once")
            if voter.key.directory_id == other.key.directory_id:
                raise FormatError(
                    f"--initial-controllers gives nodes {other.key.id} and {voter.key.id} the same directory id"
                )
    return tuple(voters)


def _parse_voter(text: str, listener_name: str) -> Voter:
    match = _VOTER_TEXT.fullmatch(text)
    if match is None:
        raise FormatError(f"--initial-controllers: {text!r} is not of the form id@host:port:directoryId")
    if re.fullmatch(r"[0-9]{1,10}", match["id"]) is None:
        raise FormatError(f"--initial-controllers: {text!r}: node id {match['id']!r} is no number")
    host = match["host"].strip("[]")
    if not host:
        raise FormatError(f"--initial-controllers: {text!r}: the host is empty")
    if re.fullmatch(r"[0-9]{1,5}", match["port"]) is None or not 0 < int(match["port"]) <= MAX_PORT:
        raise FormatError(f"--initial-controllers: {text!r}: port {match['port']!r} is not 1 to {MAX_PORT}")
    try:
        directory_id = uuids.from_text(match["directory"])
    except ValueError as error:
        raise FormatError(f"--initial-controllers: {text!r}: directory id: {error}") from error
    if is_reserved_directory_id(directory_id):
        raise FormatError(f"--initial-controllers: {text!r}: directory id {match['directory']} is reserved")
    return Voter(
        key=ReplicaKey(id=int(match["id"]), directory_id=directory_id),
        endpoints=(Endpoint(name=listener_name, host=host, port=int(match["port"])),),
    )


def effective_levels(request: FormatRequest) -> dict[str, int]:
    """The resulting level of every feature, including metadata.version and kraft.version.

    Raises FormatError for levels that this server does not support.
    """
    try:
        version = _effective_metadata_version(request)
        levels = {METADATA_VERSION: version.level, **default_levels(version)}
        for name, level in request.feature_levels.items():
            if name not in levels:
                known = ", ".join(sorted(FEATURES))
                raise FormatError(f"Unsupported feature: {name}. Supported features are: {known}")
            levels[name] = level
        levels[KRAFT_VERSION] = _effective_kraft_version(request)
        check_dependencies(levels)
    except ValueError as error:
        raise FormatError(str(error)) from error
    return levels


def _effective_metadata_version(request: FormatRequest) -> MetadataVersion:
    level = request.feature_levels.get(METADATA_VERSION)
    if request.release_version is not None:
        if level is not None:
            raise FormatError(
                f"Use --release-version instead of --feature {METADATA_VERSION}=X to avoid ambiguity."
            )
        return metadata_version_of_release(request.release_version)
    version = LATEST_METADATA_VERSION if level is None else metadata_version(level)
    if version < MINIMUM_METADATA_VERSION:
        raise FormatError(
            f"{METADATA_VERSION} {version.level} ({version.name}) is too old for this server, the lowest that it "
            f"runs at is {MINIMUM_METADATA_VERSION.level} ({MINIMUM_METADATA_VERSION.name})"
        )
    return version


def _effective_kraft_version(request: FormatRequest) -> int:
    is_dynamic = not request.has_static_voters and request.quorum_start is not QuorumStart.UNSPECIFIED
    level = int(is_dynamic)
    asked = request.feature_levels.get(KRAFT_VERSION, level)
    if asked == level:
        return level
    if is_dynamic:
        raise FormatError(
            f"Cannot set {KRAFT_VERSION} to {asked}: with {request.quorum_start.value} the voters are kept in the log, "
            f"which is {KRAFT_VERSION} 1. Leave --feature {KRAFT_VERSION} out."
        )
    raise FormatError(
        f"Cannot set {KRAFT_VERSION} to {asked} unless controller.quorum.voters is empty and one of --standalone, "
        "--initial-controllers, or --no-initial-controllers is used."
    )


def format_directories(
    disk: Disk,
    request: FormatRequest,
    *,
    wall_ms: Callable[[], int],
    new_uuid: Callable[[], bytes],
    report: Callable[[str], None],
) -> None:
    """Format the directories that are not formatted yet. ``report`` gets a line for each step.

    ``wall_ms`` returns milliseconds since the epoch, ``new_uuid`` 16 random bytes. Raises FormatError before anything
    is written if the request cannot be met, and OSError of the disk.
    """
    # All checks come before the first write, so a refused request leaves every directory as it was.
    _check_quorum_start(request)
    levels = effective_levels(request)
    if not request.cluster_id.strip():
        raise FormatError("--cluster-id is empty; kafka-storage random-uuid makes one")
    found = _look_at_directories(disk, request, report)
    unformatted = [directory for directory in found if directory.properties is None]
    if not unformatted:
        report("All of the log directories are already formatted.")
        return
    version = metadata_version(levels[METADATA_VERSION])
    records = [*feature_records(levels), *request.scram_records]
    told = ", ".join(f"{name}={level}" for name, level in levels.items() if level and name != KRAFT_VERSION)
    report(
        f"Bootstrap metadata: {told}"
        + f", {len(request.scram_records)} SCRAM credentials" * bool(request.scram_records)
    )
    # Ids have to differ on one node: assignments of replicas name a directory by its id only
    # (KIP-858).
    taken = {
        known.properties.directory_id for known in found if known.properties and known.properties.directory_id
    }
    for directory in unformatted:
        is_metadata = directory.path == request.metadata_directory
        # The list of the first voters is the same on every node, and a voter is known by node id
        # and directory id (KIP-853). A random id would make this node a stranger to its own quorum.
        directory_id = _own_directory_id(request) if is_metadata else None
        if directory_id is None:
            directory_id = new_directory_id(new_uuid, taken)
        taken.add(directory_id)
        report(
            f"Formatting {_describe(request, is_metadata)} {directory.path} with {METADATA_VERSION} {version.name}."
        )
        make_directory_durably(disk, directory.path)
        if is_metadata:
            voters = _first_voters(request, directory_id)
            data = encode_initial_snapshot(
                records, wall_ms(), kraft_version=levels[KRAFT_VERSION], voters=voters
            )
            _begin_log(disk, request, data if request.is_controller else None, new_uuid)
        properties = MetaProperties(
            version=1, cluster_id=request.cluster_id, node_id=request.node_id, directory_id=directory_id
        )
        # Last: with this file a directory counts as formatted. An attempt that is interrupted before is made again as a
        # whole.
        write_meta_properties(disk, directory.path, properties, wall_ms())


def _check_quorum_start(request: FormatRequest) -> None:
    start = request.quorum_start
    if start is QuorumStart.STANDALONE and not request.is_controller:
        raise FormatError("You can only use --standalone on a controller.")
    if request.has_static_voters and start in (QuorumStart.STANDALONE, QuorumStart.INITIAL_CONTROLLERS):
        raise FormatError(
            f"controller.quorum.voters fixes the voters in the configuration, so {start.value} cannot be used. For a "
            "quorum that keeps them in its log, set controller.quorum.bootstrap.servers in its place."
        )
    if request.is_controller and not request.has_static_voters and start is QuorumStart.UNSPECIFIED:
        raise FormatError(
            "Because controller.quorum.voters is not set on this controller, you must specify one of the following: "
            "--standalone, --initial-controllers, or --no-initial-controllers."
        )


def _look_at_directories(
    disk: Disk, request: FormatRequest, report: Callable[[str], None]
) -> list[FoundLogDirectory]:
    """The directories that can be used. Raises FormatError if the request does not fit them."""
    # The metadata directory is usually one of the log directories, and must not be formatted twice.
    paths = dict.fromkeys((*request.directories, request.metadata_directory))
    usable: list[FoundLogDirectory] = []
    for directory in (read_log_directory(disk, path) for path in paths):
        if directory.problem is None:
            usable.append(directory)
        elif directory.path == request.metadata_directory:
            raise FormatError(directory.problem)
        else:
            report(f"Ignoring a log directory: {directory.problem}")
    for directory in usable:
        if directory.properties is not None and not request.ignore_formatted:
            raise FormatError(
                f"Log directory {directory.path} is already formatted. Use --ignore-formatted to ignore this directory "
                "and format the others."
            )
    problems = find_mismatches(usable, node_id=request.node_id, cluster_id=request.cluster_id)
    if problems:
        raise FormatError("\n".join(problems))
    return usable


def _own_directory_id(request: FormatRequest) -> bytes | None:
    """This node's directory id in the list of the first voters; None if the node is not in the list."""
    for voter in request.initial_voters:
        if voter.key.id == request.node_id:
            return voter.key.directory_id
    return None


def _first_voters(request: FormatRequest, directory_id: bytes) -> tuple[Voter, ...]:
    if request.quorum_start is not QuorumStart.STANDALONE:
        return request.initial_voters
    key = ReplicaKey(id=request.node_id, directory_id=directory_id)
    return (Voter(key=key, endpoints=request.controller_endpoints),)


def _begin_log(disk: Disk, request: FormatRequest, data: bytes | None, new_uuid: Callable[[], bytes]) -> None:
    """Write the 0-0 snapshot; None if the node is to have none."""
    log_directory = f"{request.metadata_directory}/{METADATA_TOPIC}-0"
    # An interrupted attempt may have set other voters. This node must not find them.
    leftover = SnapshotStore(disk, log_directory).path(BOOTSTRAP_SNAPSHOT_ID)
    if disk.exists(leftover):
        disk.remove(leftover)
        disk.sync_directory(log_directory)
    if data is not None:
        make_directory_durably(disk, log_directory)
        SnapshotStore(disk, log_directory).remove_leftovers()
        write_initial_snapshot(disk, log_directory, data, new_uuid)


def _describe(request: FormatRequest, is_metadata: bool) -> str:
    if not is_metadata:
        return "data directory"
    if request.quorum_start is QuorumStart.STANDALONE or _own_directory_id(request) is not None:
        return "dynamic metadata voter directory"
    return "dynamic metadata directory" if request.initial_voters else "metadata directory"
