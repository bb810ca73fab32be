"""kafka-metadata-quorum add-controller, remove-controller and alter, against a leader that answers from a model.

What the first two print on success is what Kafka's tool of 4.3.1 prints.

Tests: `tools.quorum.access`, `tools.quorum.alteration_journal`, `tools.quorum.new_controller`.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kafkaproto import uuids
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    DescribeClusterRequest,
    DescribeClusterResponse,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
    UnregisterControllerRequest,
    UnregisterControllerResponse,
)
from kafkaproto_server.base.types import Endpoint, ReplicaKey
from kafkaproto_server.tools.quorum.access import ChangeResult, QuorumAccess, ResponseLost
from kafkaproto_server.tools.quorum.metadata_quorum import cli
from tests.tools.support.quorum_model import QuorumModel, key
from tests.tools.support.quorum_responses import CLUSTER_ID
from tests.tools.support.scripted_server import Responses, ScriptedServer, serving

DIRECTORY = "JEXY6aqzQY-32P5TStzaFg"
REMOVE_THREE = ("remove-controller", "-i", "3", "-d", "AAAAAAAAAAAAAAAAAAAAAw")
PROPERTIES = {
    "node.id": "9",
    "process.roles": "controller",
    "listeners": "CONTROLLER://127.0.0.1:9999,SECOND://:9998",
    "controller.listener.names": "CONTROLLER,SECOND",
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,SECOND:PLAINTEXT",
    "bootstrap.servers": "a client's key",
}


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting, and a state directory of the test's own."""
    monkeypatch.setattr("kafkaproto_server.tools.quorum.access.RETRY_TIMEOUT_S", 0.0)
    monkeypatch.setattr("kafkaproto_server.tools.quorum.access.RETRY_INTERVAL_S", 0.0)
    monkeypatch.setattr("kafkaproto_server.tools.quorum.voter_alteration.POLL_INTERVAL_S", 0.0)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def new_controller(folder: Path, **changes: str | None) -> str:
    """Path of the properties of a formatted controller; None leaves a key out."""
    data = folder / "data"
    data.mkdir()
    (data / "meta.properties").write_text(
        f"version=1\ncluster.id={CLUSTER_ID}\nnode.id=9\ndirectory.id={DIRECTORY}\n"
    )
    changed = {name.replace("_", "."): value for name, value in changes.items()}
    values = {**PROPERTIES, "log.dirs": str(data), **changed}
    path = folder / "controller.properties"
    path.write_text("".join(f"{name}={value}\n" for name, value in values.items() if value is not None))
    return str(path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


@contextmanager
def leader(quorum: QuorumModel) -> Iterator[ScriptedServer]:
    """A controller that leads whatever the model says."""

    def cluster(request: Message) -> Message:
        assert isinstance(request, DescribeClusterRequest)
        nodes = {
            each.id: DescribeClusterResponse.DescribeClusterBroker(
                broker_id=each.id, host="127.0.0.1", port=9000 + each.id
            )
            for each in (*quorum.voters, *quorum.observers)
        }
        nodes[quorum.leader_id].port = server.port
        return DescribeClusterResponse(
            cluster_id=CLUSTER_ID,
            endpoint_type=request.endpoint_type,
            controller_id=quorum.leader_id,
            brokers=list(nodes.values()),
        )

    def add(request: Message) -> Message:
        assert isinstance(request, AddRaftVoterRequest)
        outcome = quorum.add_voter(
            ReplicaKey(id=request.voter_id, directory_id=request.voter_directory_id),
            [Endpoint(name=each.name, host=each.host, port=each.port) for each in request.listeners],
            request.cluster_id,
        )
        return AddRaftVoterResponse(error_code=outcome.error, error_message=outcome.message)

    def remove(request: Message) -> Message:
        assert isinstance(request, RemoveRaftVoterRequest)
        outcome = quorum.remove_voter(
            ReplicaKey(id=request.voter_id, directory_id=request.voter_directory_id), request.cluster_id
        )
        return RemoveRaftVoterResponse(error_code=outcome.error, error_message=outcome.message)

    responses: Responses = {60: cluster, 55: lambda _: quorum.response(server.port), 80: add, 81: remove}
    with serving(responses) as server:
        yield server


def three() -> QuorumModel:
    return QuorumModel(
        voters=[key(1), key(2), key(3)], observers=[key(4), key(5), key(6), key(9)], leader_id=2
    )


def answering(**responses: Message) -> Responses:
    """A broker that answers AddRaftVoter, RemoveRaftVoter or UnregisterController like this."""
    cluster = DescribeClusterResponse(cluster_id=CLUSTER_ID, controller_id=-1)
    keys = {"add": 80, "remove": 81, "unregister": 94}
    return {
        60: lambda _: cluster,
        **{keys[name]: lambda _, received=response: received for name, response in responses.items()},  # type: ignore[misc]
    }


# -- add-controller ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["--command-config", "--config"])
def test_a_controller_is_added_as_its_files_describe_it(place: str, tmp_path: Path) -> None:
    path = new_controller(tmp_path)
    with serving(answering(add=AddRaftVoterResponse())) as server:
        before, after = ([place, path], []) if place == "--command-config" else ([], [place, path])
        result = run("--bootstrap-server", server.address, *before, "add-controller", *after)
        request = server.asked[-1]
    assert result.output == (
        f"Added controller 9 with directory id {DIRECTORY} and endpoints: "
        "CONTROLLER://127.0.0.1:9999, SECOND://localhost:9998\n"
    )
    assert result.exit_code == 0
    assert isinstance(request, AddRaftVoterRequest)
    assert (request.voter_id, request.voter_directory_id) == (9, uuids.from_text(DIRECTORY))
    assert [(each.name, each.host, each.port) for each in request.listeners] == [
        ("CONTROLLER", "127.0.0.1", 9999),
        ("SECOND", "localhost", 9998),
    ]
    assert request.ack_when_committed


def test_an_address_that_is_advertised_comes_before_the_one_that_is_bound(tmp_path: Path) -> None:
    path = new_controller(tmp_path, advertised_listeners="CONTROLLER://[fe80::1]:7777")
    result = run("--bootstrap-server", "a:1", "--command-config", path, "add-controller", "--dry-run")
    assert result.output == (
        f"DRY RUN of adding controller 9 with directory id {DIRECTORY} and endpoints: "
        "CONTROLLER://[fe80::1]:7777, SECOND://localhost:9998\n"
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"process_roles": "broker"}, "process.roles=broker: must have controller"),
        ({"node_id": "-1"}, "node.id=-1"),
        ({"node_id": None}, "node.id: is required"),
        ({"node_id": "8x"}, "node.id=8x"),
        (
            {"controller_listener_names": "OTHER"},
            "controller.listener.names=OTHER: OTHER is not in listeners",
        ),
        ({"controller_listener_names": None}, "controller.listener.names: is required"),
        ({"log_dirs": "no/such"}, "no/such has no directory id"),
        ({"metadata_log_dir": "no/such"}, "no/such has no directory id"),
    ],
)
def test_a_file_that_describes_no_controller_is_refused_by_key(
    changes: dict[str, str | None], words: str, tmp_path: Path
) -> None:
    path = new_controller(tmp_path, **changes)
    result = run("--bootstrap-server", "a:1", "--command-config", path, "add-controller", "--dry-run")
    assert (result.exit_code, result.stdout) == (1, "")
    assert words in result.stderr


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = run("--bootstrap-server", "a:1", "add-controller", "--config", f"{tmp_path}/none")
    assert result.exit_code == 1
    assert f"{tmp_path}/none: cannot be read" in result.stderr


def test_a_refusal_is_told_by_its_name_and_reason(tmp_path: Path) -> None:
    path = new_controller(tmp_path)
    refusal = AddRaftVoterResponse(error_code=ErrorCode.DUPLICATE_VOTER, error_message="9 is a voter")
    with serving(answering(add=refusal)) as server:
        result = run("--bootstrap-server", server.address, "--command-config", path, "add-controller")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: controller 9 was not added: DUPLICATE_VOTER: 9 is a voter\n"


# -- remove-controller -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [("--controller-id", "--controller-directory-id"), ("-i", "-d")])
def test_a_controller_is_removed(options: tuple[str, str]) -> None:
    named, directory = options
    with serving(answering(remove=RemoveRaftVoterResponse())) as server:
        result = run(
            "--bootstrap-server", server.address, "remove-controller", named, "9", directory, DIRECTORY
        )
        request = server.asked[-1]
    assert result.output == f"Removed  KRaft controller 9 with directory id {DIRECTORY}\n"
    assert request == RemoveRaftVoterRequest(
        cluster_id=None, voter_id=9, voter_directory_id=uuids.from_text(DIRECTORY)
    )


def test_a_controller_that_is_gone_is_removed_and_unregistered() -> None:
    responses = answering(remove=RemoveRaftVoterResponse(), unregister=UnregisterControllerResponse())
    with serving(responses) as server:
        result = run("--bootstrap-server", server.address, *REMOVE_THREE, "--unregister")
        changes = [each for each in server.asked if not isinstance(each, DescribeClusterRequest)]
    assert result.output == (
        "Removed  KRaft controller 3 with directory id AAAAAAAAAAAAAAAAAAAAAw\n"
        "Controller 3 is no longer registered.\n"
    )
    assert [type(each) for each in changes] == [RemoveRaftVoterRequest, UnregisterControllerRequest]
    assert changes[-1] == UnregisterControllerRequest(controller_id=3)


def test_a_controller_that_is_removed_may_stay_registered() -> None:
    refusal = UnregisterControllerResponse(
        error_code=ErrorCode.CONTROLLER_ID_NOT_REGISTERED, error_message="unknown"
    )
    with serving(answering(remove=RemoveRaftVoterResponse(), unregister=refusal)) as server:
        result = run("--bootstrap-server", server.address, *REMOVE_THREE, "--unregister")
    assert result.exit_code == 1
    assert result.stdout == "Removed  KRaft controller 3 with directory id AAAAAAAAAAAAAAAAAAAAAw\n"
    assert result.stderr == (
        "Error: controller 3 was not unregistered: CONTROLLER_ID_NOT_REGISTERED: unknown\n"
    )


def test_a_controller_that_is_not_removed_is_not_unregistered() -> None:
    refusal = RemoveRaftVoterResponse(error_code=ErrorCode.VOTER_NOT_FOUND, error_message="no such voter")
    responses = answering(remove=refusal, unregister=UnregisterControllerResponse())
    with serving(responses) as server:
        result = run("--bootstrap-server", server.address, *REMOVE_THREE, "--unregister")
        assert not any(isinstance(each, UnregisterControllerRequest) for each in server.asked)
    assert result.exit_code == 1


@pytest.mark.parametrize("more", [(), ("--unregister",)])
def test_a_dry_run_of_removing_asks_nobody(more: tuple[str, ...]) -> None:
    result = run("--bootstrap-server", "a:1", *REMOVE_THREE, "--dry-run", *more)
    lines = [
        "DRY RUN of removing  KRaft controller 3 with directory id AAAAAAAAAAAAAAAAAAAAAw",
        *(["DRY RUN of unregistering controller 3"] if more else []),
    ]
    assert result.output.splitlines() == lines


def test_a_removal_that_is_refused_is_told() -> None:
    refusal = RemoveRaftVoterResponse(error_code=ErrorCode.VOTER_NOT_FOUND, error_message="no such voter")
    with serving(answering(remove=refusal)) as server:
        result = run("--bootstrap-server", server.address, "remove-controller", "-i", "9", "-d", DIRECTORY)
    assert result.exit_code == 1
    assert result.stderr == "Error: controller 9 was not removed: VOTER_NOT_FOUND: no such voter\n"


def test_a_change_goes_to_the_leader_that_there_is_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkaproto_server.tools.quorum.access.RETRY_TIMEOUT_S", 60.0)
    quorum = three()
    # One that has lost its place says so; then it is asked again who leads.
    quorum.outcomes = [ChangeResult(error=ErrorCode.NOT_LEADER_OR_FOLLOWER, message="")] * 3
    with leader(quorum) as server:
        result = run("--bootstrap-controller", server.address, *REMOVE_THREE)
    assert result.exit_code == 0, result.output
    assert quorum.changes == ["-3"] * 4


@pytest.mark.parametrize("was_made", [True, False])
def test_where_the_response_is_lost_the_quorum_tells_whether_it_was_done(
    was_made: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    quorum = three()

    def lose(access: QuorumAccess, voter: ReplicaKey, cluster_id: str | None = None) -> ChangeResult:
        if was_made:
            quorum.remove_voter(voter)
        raise ResponseLost("lost the connection")

    monkeypatch.setattr(QuorumAccess, "remove_voter", lose)
    with leader(quorum) as server:
        result = run("--bootstrap-controller", server.address, *REMOVE_THREE)
    if was_made:
        assert result.output == "Removed  KRaft controller 3 with directory id AAAAAAAAAAAAAAAAAAAAAw\n"
    else:
        assert result.stderr == "Error: controller 3 was not removed: lost the connection\n"
    assert result.exit_code == (0 if was_made else 1)


# -- alter -------------------------------------------------------------------------------------------------------


def alter(quorum: QuorumModel, *options: str) -> Result:
    with leader(quorum) as server:
        return run("--bootstrap-controller", server.address, "alter", *options)


def journal(tmp_path: Path) -> Path:
    return tmp_path / "state" / "kafkaproto" / f"voters-{CLUSTER_ID}.json"


def test_voters_are_altered_with_a_line_for_each_step(tmp_path: Path) -> None:
    quorum = three()
    result = alter(quorum, "--voters", "4,5,6")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == "from 1,2,3 to 4,5,6"
    assert [line.split(" in ")[0].split(" (")[0] for line in lines[1:-1]] == [
        "added 4",
        "added 5",
        "added 6",
        "removed 3",
        "removed 1",
        "removed 2",
    ]
    assert lines[-1] == "the voters are 4,5,6; 4 leads"
    assert journal(tmp_path).read_text() == ""


def test_the_same_target_again_changes_nothing() -> None:
    quorum = three()
    for _ in range(2):
        result = alter(quorum, "--voters", "1,3,2")
        assert result.output == "from 1,2,3 to 1,2,3\nthe voters are 1,2,3; 2 leads\n"
    assert quorum.changes == []


REFUSED = ChangeResult(error=ErrorCode.CLUSTER_AUTHORIZATION_FAILED, message="no")
DONE = ChangeResult(error=ErrorCode.NONE, message="")


def broken_off(after: int) -> QuorumModel:
    """A quorum whose alteration from 1,2,3 to 4,5,6 was refused after so many changes."""
    quorum = three()
    quorum.outcomes = [*[DONE] * after, REFUSED]
    result = alter(quorum, "--voters", "4,5,6")
    assert result.exit_code == 1
    assert "not finished; alter --voters 4,5,6 goes on, alter --cancel goes back to 1,2,3" in result.stderr
    assert len(quorum.changes) == after + 1
    return quorum


@pytest.mark.parametrize("after", range(6))
def test_an_alteration_that_was_broken_off_goes_on_or_is_taken_back(after: int, tmp_path: Path) -> None:
    quorum = broken_off(after)
    assert alter(quorum, "--voters", "4,5,6").exit_code == 0
    assert quorum.voter_ids == [4, 5, 6]
    quorum = broken_off(after)
    result = alter(quorum, "--cancel")
    assert result.exit_code == 0, result.output
    assert quorum.voter_ids == [1, 2, 3]
    assert journal(tmp_path).read_text() == ""


def test_a_cancel_that_was_broken_off_goes_on_too() -> None:
    quorum = broken_off(after=2)
    quorum.outcomes = [DONE, REFUSED]
    assert alter(quorum, "--cancel").exit_code == 1
    assert alter(quorum, "--cancel").exit_code == 0
    assert quorum.voter_ids == [1, 2, 3]


def test_another_target_midway_is_gone_to_and_can_be_taken_back_to_the_beginning() -> None:
    quorum = broken_off(after=2)
    assert quorum.voter_ids == [1, 2, 3, 4, 5]
    quorum.outcomes = [DONE, DONE, REFUSED]
    assert alter(quorum, "--voters", "2,5,6").exit_code == 1
    assert alter(quorum, "--cancel").exit_code == 0
    assert quorum.voter_ids == [1, 2, 3]
    quorum = broken_off(after=2)
    assert alter(quorum, "--voters", "2,5,6").exit_code == 0
    assert quorum.voter_ids == [2, 5, 6]


@pytest.mark.parametrize("voters", [(4, 5, 6), (1, 2, 9)], ids=["done by another", "something else"])
def test_what_somebody_else_has_gone_on_with_is_not_taken_back(voters: tuple[int, ...]) -> None:
    broken_off(after=2)
    quorum = QuorumModel(
        voters=[key(each) for each in voters],
        observers=[key(each) for each in range(1, 10) if each not in voters],
        leader_id=voters[0],
    )
    result = alter(quorum, "--cancel")
    assert result.exit_code == 1
    assert "nothing that this user began here is unfinished" in result.stderr
    assert quorum.changes == []


def test_without_anything_begun_there_is_nothing_to_cancel(tmp_path: Path) -> None:
    quorum = three()
    for content in ("", "nonsense", '{"before": 3}', json.dumps([1])):
        journal(tmp_path).parent.mkdir(parents=True, exist_ok=True)
        journal(tmp_path).write_text(content)
        result = alter(quorum, "--cancel")
        assert result.exit_code == 1
        assert "the voters are 1,2,3. To go back to earlier voters, name them" in result.stderr


def test_two_at_once_on_one_machine_end_in_an_error(tmp_path: Path) -> None:
    quorum = three()
    path = journal(tmp_path)
    path.parent.mkdir(parents=True)
    with path.open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        result = alter(quorum, "--voters", "4,5,6")
    assert result.exit_code == 1
    assert f"another alter of cluster {CLUSTER_ID} runs on this machine" in result.stderr
    assert quorum.changes == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "exactly one of --voters and --cancel"),
        (["--voters", "1", "--cancel"], "exactly one of --voters and --cancel"),
        (["--voters", ""], "is not a list of node ids such as 4,5,6"),
        (["--voters", "1,x"], "'1,x' is not a list of node ids"),
        (["--voters", "-1"], "'-1' is not a list of node ids"),
        (["--voters", "1,2,01"], "names a node more than once"),
    ],
)
def test_a_wrong_use_of_alter_is_told_in_words(options: list[str], words: str) -> None:
    result = run("--bootstrap-server", "a:1", "alter", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add-controller"], "the properties file of the controller to add is needed"),
        (["remove-controller", "-i", "1"], "Missing option '--controller-directory-id'"),
        (["remove-controller", "-d", DIRECTORY], "Missing option '--controller-id'"),
        (["remove-controller", "-i", "-1", "-d", DIRECTORY], "-1 is not in the range"),
        (["remove-controller", "-i", "1", "-d", "xx"], "--controller-directory-id: "),
    ],
)
def test_a_wrong_use_of_the_others_is_told_in_words(arguments: list[str], words: str) -> None:
    result = run("--bootstrap-server", "a:1", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
