"""Apache Kafka's own tools for ACLs, quotas, SCRAM users and delegation tokens against a node with an authorizer.

Everybody may do everything on it until an ACL says otherwise, so that its own requests and the tools', which are all
User:ANONYMOUS, pass. Each expectation was written from what the tool prints about a stock node of the same release.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from compat.kafka.tools import ToolResult, run_tool
from compat.node import Node
from tests.compat.support.nodes import create, make_node, node_class

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
    "delegation.token.secret.key": "secret",
}


@pytest.fixture(scope="module")
def guarded_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node with an authorizer."""
    node = make_node(node_class(), tmp_path_factory.mktemp("guarded"), AUTHORIZER)
    try:
        node.start()
        yield node
    finally:
        node.close()


def acls(node: Node, *arguments: str) -> str:
    """What one run of kafka-acls prints."""
    return run_tool("kafka-acls", "--bootstrap-server", node.bootstrap_server, *arguments).output()


def configs(node: Node, *arguments: str) -> ToolResult:
    """One run of kafka-configs."""
    return run_tool("kafka-configs", "--bootstrap-server", node.bootstrap_server, *arguments)


def entries(printed: str) -> list[str]:
    """The ACLs that kafka-acls prints, one a line."""
    return sorted(line.strip() for line in printed.splitlines() if line.strip().startswith("(principal="))


def test_acls_are_added_listed_and_removed(guarded_node: Node) -> None:
    bob = ("--allow-principal", "User:bob", "--operation", "Read", "--operation", "Write")
    added = acls(guarded_node, "--add", *bob, "--topic", "orders", "--allow-host", "10.0.0.7")
    read = "(principal=User:bob, host=10.0.0.7, operation=READ, permissionType=ALLOW)"
    write = "(principal=User:bob, host=10.0.0.7, operation=WRITE, permissionType=ALLOW)"
    assert entries(added.split("Current ACLs")[0]) == [read, write]

    prefixed = ("--resource-pattern-type", "prefixed", "--topic", "ord")
    acls(guarded_node, "--add", "--deny-principal", "User:*", "--operation", "All", *prefixed)
    everybody = "(principal=User:*, host=*, operation=ALL, permissionType=DENY)"
    assert entries(acls(guarded_node, "--list", "--topic", "orders")) == [read, write]
    matching = acls(guarded_node, "--list", "--topic", "orders", "--resource-pattern-type", "match")
    assert entries(matching) == [everybody, read, write]
    of_controller = run_tool(
        "kafka-acls", "--bootstrap-controller", guarded_node.bootstrap_controller, "--list"
    ).output()
    assert entries(of_controller) == [everybody, read, write]

    acls(guarded_node, "--remove", "--force", *prefixed)
    acls(guarded_node, "--remove", "--force", *bob, "--topic", "orders", "--allow-host", "10.0.0.7")
    assert entries(acls(guarded_node, "--list")) == []


def test_a_cluster_acl_is_for_the_cluster_of_kafkas_name(guarded_node: Node) -> None:
    bob = ("--allow-principal", "User:bob", "--operation", "Alter", "--cluster")
    assert "name=kafka-cluster" in acls(
        guarded_node, "--add", *bob, "--allow-principal", "User:ANONYMOUS", "--operation", "All"
    )
    acls(guarded_node, "--remove", "--force", "--cluster")


def test_a_topic_that_may_not_be_described_is_not_listed(guarded_node: Node) -> None:
    create(guarded_node, "hidden")
    topics = ("kafka-topics", "--bootstrap-server", guarded_node.bootstrap_server)
    deny = ("--deny-principal", "User:ANONYMOUS", "--operation", "Describe", "--topic", "hidden")
    acls(guarded_node, "--add", *deny)
    try:
        assert run_tool(*topics, "--list").output().split() == []
        described = run_tool(*topics, "--describe", "--topic", "hidden")
        assert described.exit_code == 1
    finally:
        acls(guarded_node, "--remove", "--force", *deny)
    assert run_tool(*topics, "--list").output().split() == ["hidden"]


def test_a_topic_that_may_not_be_altered_does_not_grow(guarded_node: Node) -> None:
    create(guarded_node, "fixed")
    topics = ("kafka-topics", "--bootstrap-server", guarded_node.bootstrap_server)
    deny = ("--deny-principal", "User:ANONYMOUS", "--operation", "Alter", "--topic", "fixed")
    # Who has nothing but this ACL may not describe it either.
    allow = ("--allow-principal", "User:ANONYMOUS", "--operation", "All", "--topic", "fixed")
    acls(guarded_node, "--add", *allow)
    acls(guarded_node, "--add", *deny)
    try:
        grown = run_tool(*topics, "--alter", "--topic", "fixed", "--partitions", "9")
        assert "TopicAuthorizationException" in grown.stdout + grown.stderr
    finally:
        acls(guarded_node, "--remove", "--force", "--topic", "fixed")
    run_tool(*topics, "--alter", "--topic", "fixed", "--partitions", "9").output()


def test_quotas_of_users_clients_and_addresses(guarded_node: Node) -> None:
    alice = ("--entity-type", "users", "--entity-name", "alice")
    client = ("--entity-type", "clients", "--entity-name", "a-client")
    default_user = ("--entity-type", "users", "--entity-default")
    address = ("--entity-type", "ips", "--entity-name", "10.0.0.7")
    for entity, setting in (
        (alice, "producer_byte_rate=1024,request_percentage=12.5"),
        ((*alice, *client), "consumer_byte_rate=2048"),
        (default_user, "controller_mutation_rate=0.5"),
        (address, "connection_creation_rate=7"),
    ):
        configs(guarded_node, "--alter", *entity, "--add-config", setting).output()
    described = configs(guarded_node, "--describe", *alice).output()
    assert "Quota configs for user-principal 'alice' are" in described
    assert "producer_byte_rate=1024.0" in described
    assert "request_percentage=12.5" in described
    assert "consumer_byte_rate=2048.0" in configs(guarded_node, "--describe", *alice, *client).output()
    assert "controller_mutation_rate=0.5" in configs(guarded_node, "--describe", *default_user).output()
    assert "connection_creation_rate=7.0" in configs(guarded_node, "--describe", *address).output()

    configs(guarded_node, "--alter", *alice, "--delete-config", "producer_byte_rate").output()
    assert "producer_byte_rate" not in configs(guarded_node, "--describe", *alice).output()
    refused = configs(guarded_node, "--alter", *alice, "--add-config", "producer_byte_rate=-1")
    assert refused.exit_code == 1
    assert "InvalidRequestException" in refused.stdout + refused.stderr


def test_scram_users(guarded_node: Node) -> None:
    carol = ("--entity-type", "users", "--entity-name", "carol")
    first, second = "SCRAM-SHA-256=[iterations=8192,password=secret]", "SCRAM-SHA-512=[password=secret]"
    at_once = configs(guarded_node, "--alter", *carol, "--add-config", f"{first},{second}")
    assert at_once.exit_code == 1
    assert "DuplicateResourceException" in at_once.stdout + at_once.stderr
    for each in (first, second):
        configs(guarded_node, "--alter", *carol, "--add-config", each).output()
    described = configs(guarded_node, "--describe", *carol).output()
    assert "SCRAM-SHA-256=iterations=8192" in described
    assert "SCRAM-SHA-512=iterations=4096" in described

    configs(guarded_node, "--alter", *carol, "--delete-config", "SCRAM-SHA-256").output()
    described = configs(guarded_node, "--describe", *carol).output()
    assert "SCRAM-SHA-256" not in described
    assert "SCRAM-SHA-512=iterations=4096" in described
    refused = configs(guarded_node, "--alter", *carol, "--delete-config", "SCRAM-SHA-256")
    assert refused.exit_code == 1
    assert "ResourceNotFoundException" in refused.stdout + refused.stderr


def test_tokens_are_not_for_clients_without_a_name(guarded_node: Node, tmp_path: Path) -> None:
    properties = tmp_path / "client.properties"
    properties.write_text("security.protocol=PLAINTEXT\n")
    command = ("--bootstrap-server", guarded_node.bootstrap_server, "--command-config", str(properties))
    created = run_tool("kafka-delegation-tokens", *command, "--create", "--max-life-time-period", "-1")
    described = run_tool("kafka-delegation-tokens", *command, "--describe")
    for result in (created, described):
        assert result.exit_code == 1
        assert "not allowed" in result.stdout + result.stderr


def test_without_an_authorizer_the_acl_tool_is_told_so(node: Node) -> None:
    result = run_tool("kafka-acls", "--bootstrap-server", node.bootstrap_server, "--list")
    assert "SecurityDisabledException" in result.stdout + result.stderr
