"""Requests that must be refused. Each holds a mark of its own, and no committed record may hold a mark."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterClientQuotasRequest,
    AlterConfigsRequest,
    AlterUserScramCredentialsRequest,
    AssignReplicasToDirsRequest,
    CreateAclsRequest,
    CreateDelegationTokenRequest,
    CreateTopicsRequest,
    IncrementalAlterConfigsRequest,
    UpdateFeaturesRequest,
)
from kafkaproto_server.metadata.image.entries import CLIENT_METRICS_RESOURCE
from tests.sim.checkers.invariants import ViolationError
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.metadata.notebook import Request, top_code
from tests.sim.metadata.records import REFUSED_MARK
from tests.sim.metadata.settings import FIRST_VISITOR_ID, registration

if TYPE_CHECKING:
    from tests.sim.metadata.calls import Calls
    from tests.sim.metadata.node import Node
    from tests.sim.world import World


class Refusals:
    """Asks for what cannot be."""

    def __init__(self, world: World, calls: Calls) -> None:
        self._rng = world.rng
        self._calls = calls
        self._number = 0

    def ask(self, target: Node) -> None:
        """Send one; its response must say that it was not done."""
        self._number += 1
        request, result = self._rng.choice(_BAD)(f"{REFUSED_MARK}{self._number}")

        def heard(response: Message | None) -> None:
            if response is not None and result(response) == 0:
                raise ViolationError(MetadataInvariant.REFUSED_NEVER_APPEARS, f"{request}: {response}")

        self._calls.send(None, target, request, heard)


def _topic(mark: str) -> Request:
    config = CreateTopicsRequest.CreatableTopicConfig(name="retention.ms", value="never")
    topic = CreateTopicsRequest.CreatableTopic(
        name=mark, num_partitions=1, replication_factor=1, configs=[config]
    )
    return CreateTopicsRequest(topics=[topic]), lambda response: response.topics[0].error_code


def _subscription(mark: str) -> Request:
    """One good config, one bad one."""
    config = IncrementalAlterConfigsRequest.AlterableConfig
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
        resource_type=CLIENT_METRICS_RESOURCE,
        resource_name=mark,
        configs=[config(name="interval.ms", value="1000"), config(name="interval", value="1")],
    )
    return IncrementalAlterConfigsRequest(
        resources=[resource]
    ), lambda response: response.responses[0].error_code


def _whole_subscription(mark: str) -> Request:
    config = AlterConfigsRequest.AlterableConfig
    resource = AlterConfigsRequest.AlterConfigsResource(
        resource_type=CLIENT_METRICS_RESOURCE,
        resource_name=mark,
        configs=[config(name="interval.ms", value="1000"), config(name="interval", value="1")],
    )
    return AlterConfigsRequest(resources=[resource]), lambda response: response.responses[0].error_code


def _acl(mark: str) -> Request:
    creation = CreateAclsRequest.AclCreation(
        resource_type=2, resource_name=mark, principal="nobody", host="*", operation=3, permission_type=3
    )
    return CreateAclsRequest(creations=[creation]), lambda response: response.results[0].error_code


def _quota(mark: str) -> Request:
    ops = [
        AlterClientQuotasRequest.OpData(key="producer_byte_rate", value=1000.0),
        AlterClientQuotasRequest.OpData(key="consumer_byte_rate", value=-1.0),
    ]
    user = AlterClientQuotasRequest.EntityData(entity_type="user", entity_name=mark)
    entry = AlterClientQuotasRequest.EntryData(entity=[user], ops=ops)
    return AlterClientQuotasRequest(entries=[entry]), lambda response: response.entries[0].error_code


def _user(mark: str) -> Request:
    upsertion = AlterUserScramCredentialsRequest.ScramCredentialUpsertion(
        name=mark, mechanism=1, iterations=1, salt=b"salt", salted_password=b"salted"
    )
    request = AlterUserScramCredentialsRequest(upsertions=[upsertion])
    return request, lambda response: response.results[0].error_code


def _token(mark: str) -> Request:
    renewer = CreateDelegationTokenRequest.CreatableRenewers(principal_type="Group", principal_name=mark)
    return CreateDelegationTokenRequest(renewers=[renewer]), top_code


def _feature(mark: str) -> Request:
    update = UpdateFeaturesRequest.FeatureUpdateKey(feature=mark, max_version_level=1)
    return UpdateFeaturesRequest(feature_updates=[update]), top_code


def _broker(mark: str) -> Request:
    return registration(FIRST_VISITOR_ID - 1, [], rack=mark), top_code


def _assignment(mark: str) -> Request:
    directory = AssignReplicasToDirsRequest.DirectoryData(id=mark.encode().ljust(16, b"."))
    return AssignReplicasToDirsRequest(broker_id=FIRST_VISITOR_ID - 1, directories=[directory]), top_code


_BAD: tuple[Callable[[str], Request], ...] = (
    _topic,
    _subscription,
    _whole_subscription,
    _acl,
    _quota,
    _user,
    _token,
    _feature,
    _broker,
    _assignment,
)
