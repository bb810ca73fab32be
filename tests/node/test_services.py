"""Whether a node has an authorizer, and what its properties make of it.

Tests: `node.broker_coordination`, `node.broker_data`, `node.channels`.
"""

from __future__ import annotations

import pytest

from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeAclsResponse
from kafkaproto_server.apis.table import refuse_at_once
from kafkaproto_server.config.node_config import default_config
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.node.services import current_authorizer
from kafkaproto_server.requests.refusals import Refusal
from tests.metadata.security.support.acl_making import acl, by_id, index_of

STANDARD = {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer"}


def test_a_node_has_no_authorizer_unless_it_is_named() -> None:
    assert current_authorizer(default_config({})) is None
    assert current_authorizer(default_config({"super.users": "User:root"})) is None


@pytest.mark.parametrize(
    ("properties", "root_may", "alice_may_the_rest"),
    [
        ({}, False, False),
        ({"super.users": "User:admin;User:root"}, True, False),
        ({"allow.everyone.if.no.acl.found": "true"}, False, True),
    ],
)
def test_the_properties_name_super_users_and_the_default(
    properties: dict[str, str], root_may: bool, alice_may_the_rest: bool
) -> None:
    current = current_authorizer(default_config({**STANDARD, **properties}))
    assert current is not None
    decides = current.at(index_of(by_id([acl()])))
    topic = ResourceType.TOPIC
    assert decides.authorize("User:alice", "h", Operation.READ, topic, "t")
    assert decides.authorize("User:root", "h", Operation.READ, topic, "t") is root_may
    assert decides.authorize("User:alice", "h", Operation.READ, topic, "u") is alice_may_the_rest


def test_a_request_that_is_no_command_is_refused_on_top_with_the_words_given() -> None:
    api = api_by_key(29)
    assert api is not None
    refusal = Refusal(code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED, message="no", version=3)
    response = refuse_at_once(api.request_class(), refusal)
    assert response == DescribeAclsResponse(
        error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED, error_message="no"
    )
