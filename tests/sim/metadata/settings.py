"""What administrators keep in a cluster beside topics: ACLs, quotas, credentials, configs, features, tokens,
registrations of brokers. Several administrators set, remove or use each thing at once, and each thing has a history of
its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
    AlterClientQuotasRequest,
    AlterConfigsRequest,
    AlterUserScramCredentialsRequest,
    BrokerRegistrationRequest,
    ControllerRegistrationRequest,
    CreateAclsRequest,
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
    DeleteAclsRequest,
    ExpireDelegationTokenRequest,
    IncrementalAlterConfigsRequest,
    RenewDelegationTokenRequest,
    UnregisterBrokerRequest,
    UnregisterControllerRequest,
)
from kafkaproto_server.metadata.features import supported_ranges
from kafkaproto_server.metadata.image.entries import CLIENT_METRICS_RESOURCE
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.core.controller.support.harness import update_features_request
from tests.sim.checkers.invariants import ViolationError
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.metadata.models import Operation, SettingModel
from tests.sim.metadata.node import CLUSTER_ID
from tests.sim.metadata.notebook import Notebook, Request, Subject, top_code

if TYPE_CHECKING:
    from tests.sim.metadata.calls import Calls
    from tests.sim.metadata.node import Node
    from tests.sim.world import World

FIRST_VISITOR_ID = 500
"""Brokers that register, never serve, and are unregistered again."""
FIRST_SPARE_CONTROLLER_ID = 900
"""Controllers that register, and are never voters."""
SHORT_TOKEN_MS = 1_500
_FEATURES = ("transaction.version", "group.version", "share.version")
_UPGRADE, _SAFE_DOWNGRADE = 1, 2
_SCRAM_SHA_256 = 1
_FEWEST_ITERATIONS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of thing that is set."""

    model: SettingModel
    request: Callable[[str, Operation], Request]
    look: Callable[[ClusterImage, str], int]
    operations: tuple[str, ...] = ("set", "remove")
    value: Callable[[int], int] = lambda number: number
    """What is set, from a number that was not used before."""
    most: int | None = None
    """How many of them there are; None if there is no limit."""


class Settings:
    """Changes all of these."""

    def __init__(self, world: World, calls: Calls, notebook: Notebook) -> None:
        self._world = world
        self._rng = world.rng
        self._calls = calls
        self._notebook = notebook
        self._number = dict.fromkeys(KINDS, 0)
        self._value = 0
        self._tokens: list[bytes] = []
        self._producer_ids: set[int] = set()

    def change(self, target: Node) -> None:
        """Set or take away something."""
        kind_name = self._rng.choice(list(KINDS))
        kind = KINDS[kind_name]
        if kind.most == self._number[kind_name]:
            return
        name = f"{kind_name}-{self._number[kind_name]}"
        if self._notebook.is_full(name):
            self._number[kind_name] += 1
            return
        self._value += 1
        operation = Operation(self._rng.choice(kind.operations))
        if operation.kind == "set":
            operation = Operation("set", kind.value(self._value))
        subject = self._notebook.subjects.setdefault(
            name,
            Subject(
                model=kind.model,
                responses=frozenset((0, kind.model.present, kind.model.absent)),
                look=lambda image: kind.look(image, name),
                initial=0,
            ),
        )
        self._notebook.ask(target, subject, operation, kind.request(name, operation))

    # -- delegation tokens ---------------------------------------------------------------------------------------

    def change_token(self, target: Node) -> None:
        """Create a token, for a moment or for long; or use one that lives long."""
        if not self._tokens or self._rng.random() < 0.4:
            self._create_token(target)
            return
        hmac = self._rng.choice(self._tokens)
        subject = self._notebook.subjects[_token_name(hmac)]
        if self._rng.random() < 0.7:
            made: Request = (RenewDelegationTokenRequest(hmac=hmac, renew_period_ms=-1), top_code)
            operation = Operation("use")
        else:
            made = (ExpireDelegationTokenRequest(hmac=hmac, expiry_time_period_ms=-1), top_code)
            operation = Operation("remove")
        if self._notebook.is_full(_token_name(hmac)):
            self._tokens.remove(hmac)
        else:
            self._notebook.ask(target, subject, operation, made)

    def _create_token(self, target: Node) -> None:
        lives_long = self._rng.random() < 0.5
        request = CreateDelegationTokenRequest(max_lifetime_ms=-1 if lives_long else SHORT_TOKEN_MS)

        def heard(response: Message | None) -> None:
            if (
                not isinstance(response, CreateDelegationTokenResponse)
                or response.error_code
                or not lives_long
            ):
                return
            token_id, hmac = response.token_id, bytes(response.hmac)
            self._tokens.append(hmac)
            self._notebook.subjects[_token_name(hmac)] = Subject(
                model=SettingModel(0, ErrorCode.DELEGATION_TOKEN_NOT_FOUND),
                responses=frozenset((0, ErrorCode.DELEGATION_TOKEN_NOT_FOUND)),
                look=lambda image: int(token_id in image.delegation_tokens),
                initial=1,
            )

        self._calls.send(None, target, request, heard)

    # -- producer ids --------------------------------------------------------------------------------------------

    def allocate_producer_ids(self, target: Node) -> None:
        """Ask for a block in a broker's name; what is given is nobody else's."""
        brokers = list(target.image.brokers_in_order())
        if not brokers:
            return
        broker = self._rng.choice(brokers)

        def heard(response: Message | None) -> None:
            if not isinstance(response, AllocateProducerIdsResponse) or response.error_code:
                return
            block = range(response.producer_id_start, response.producer_id_start + response.producer_id_len)
            if not self._producer_ids.isdisjoint((block[0], block[-1])):
                raise ViolationError(MetadataInvariant.PRODUCER_IDS_ONCE, str(block))
            self._producer_ids.update((block[0], block[-1]))

        request = AllocateProducerIdsRequest(broker_id=broker.broker_id, broker_epoch=broker.epoch)
        self._calls.send(None, target, request, heard)


def _token_name(hmac: bytes) -> str:
    return f"token {hmac.hex()}"


# -- requests, and what in their answers counts ----------------------------------------------------------------------


def _acl(name: str, operation: Operation) -> Request:
    if operation.kind == "set":
        creation = CreateAclsRequest.AclCreation(
            resource_type=2, resource_name=name, principal="User:a", host="*", operation=3, permission_type=3
        )
        return CreateAclsRequest(creations=[creation]), lambda response: response.results[0].error_code
    wanted = DeleteAclsRequest.DeleteAclsFilter(
        resource_type_filter=2,
        resource_name_filter=name,
        principal_filter=None,
        host_filter=None,
        operation=1,
        permission_type=1,
    )

    def removed(response: Any) -> int:
        result = response.filter_results[0]
        return result.error_code or len(result.matching_acls)

    return DeleteAclsRequest(filters=[wanted]), removed


def _acl_state(image: ClusterImage, name: str) -> int:
    return sum(entry.resource_name == name for entry in image.acls.values())


def _quota(name: str, operation: Operation) -> Request:
    op = AlterClientQuotasRequest.OpData(
        key="producer_byte_rate", value=float(operation.argument), remove=operation.kind == "remove"
    )
    user = AlterClientQuotasRequest.EntityData(entity_type="user", entity_name=name)
    entry = AlterClientQuotasRequest.EntryData(entity=[user], ops=[op])
    return AlterClientQuotasRequest(entries=[entry]), lambda response: response.entries[0].error_code


def _quota_state(image: ClusterImage, name: str) -> int:
    quotas = image.client_quotas.get((("user", name),))
    return 0 if quotas is None else int(quotas.get("producer_byte_rate", 0))


def _scram(name: str, operation: Operation) -> Request:
    request = AlterUserScramCredentialsRequest()
    if operation.kind == "remove":
        request.deletions = [
            AlterUserScramCredentialsRequest.ScramCredentialDeletion(name=name, mechanism=_SCRAM_SHA_256)
        ]
    else:
        request.upsertions = [
            AlterUserScramCredentialsRequest.ScramCredentialUpsertion(
                name=name,
                mechanism=_SCRAM_SHA_256,
                iterations=_FEWEST_ITERATIONS + operation.argument,
                salt=b"salt",
                salted_password=b"salted",
            )
        ]
    return request, lambda response: response.results[0].error_code


def _scram_state(image: ClusterImage, name: str) -> int:
    credential = image.scram_credentials.get((_SCRAM_SHA_256, name))
    return 0 if credential is None else credential.iterations - _FEWEST_ITERATIONS


def _subscription(name: str, operation: Operation) -> Request:
    """Of client metrics: set by one of the two apis for configs, cleared by the other."""
    if operation.kind == "set":
        config = IncrementalAlterConfigsRequest.AlterableConfig(
            name="interval.ms", config_operation=0, value=str(1000 + operation.argument)
        )
        request: Message = IncrementalAlterConfigsRequest(
            resources=[
                IncrementalAlterConfigsRequest.AlterConfigsResource(
                    resource_type=CLIENT_METRICS_RESOURCE, resource_name=name, configs=[config]
                )
            ]
        )
    else:
        request = AlterConfigsRequest(
            resources=[
                AlterConfigsRequest.AlterConfigsResource(
                    resource_type=CLIENT_METRICS_RESOURCE, resource_name=name
                )
            ]
        )
    return request, lambda response: response.responses[0].error_code


def _subscription_state(image: ClusterImage, name: str) -> int:
    interval_ms = image.config(CLIENT_METRICS_RESOURCE, name).get("interval.ms")
    return 0 if interval_ms is None else int(interval_ms) - 1000


def _feature_of(name: str) -> str:
    return _FEATURES[int(name.rpartition("-")[2])]


def _feature(name: str, operation: Operation) -> Request:
    level = operation.argument
    upgrade_type = _UPGRADE if level else _SAFE_DOWNGRADE
    return update_features_request((_feature_of(name), level, upgrade_type)), top_code


def _visitor_id(name: str) -> int:
    return FIRST_VISITOR_ID + int(name.rpartition("-")[2])


def registration(
    broker_id: int, directories: list[bytes], *, incarnation: int = 0, rack: str | None = None
) -> Message:
    """A broker's request to be registered."""
    return BrokerRegistrationRequest(
        broker_id=broker_id,
        cluster_id=CLUSTER_ID,
        incarnation_id=b"%016d" % incarnation,
        features=[
            BrokerRegistrationRequest.Feature(
                name=name, min_supported_version=lowest, max_supported_version=highest
            )
            for name, (lowest, highest) in sorted(supported_ranges().items())
        ],
        rack=rack,
        log_dirs=directories,
    )


def _visitor(name: str, operation: Operation) -> Request:
    broker_id = _visitor_id(name)
    if operation.kind == "set":
        directories = [b"directory 00 %03d" % broker_id]
        return registration(broker_id, directories, incarnation=operation.argument), top_code
    return UnregisterBrokerRequest(broker_id=broker_id), top_code


def _visitor_state(image: ClusterImage, name: str) -> int:
    broker = image.brokers.get(_visitor_id(name))
    return 0 if broker is None else int(broker.incarnation_id)


def _controller_id(name: str) -> int:
    return FIRST_SPARE_CONTROLLER_ID + int(name.rpartition("-")[2])


def _controller(name: str, operation: Operation) -> Request:
    if operation.kind == "remove":
        return UnregisterControllerRequest(controller_id=_controller_id(name)), top_code
    request = ControllerRegistrationRequest(
        controller_id=_controller_id(name),
        incarnation_id=b"%016d" % operation.argument,
        features=[
            ControllerRegistrationRequest.Feature(
                name=name, min_supported_version=lowest, max_supported_version=highest
            )
            for name, (lowest, highest) in sorted(supported_ranges().items())
        ],
    )
    return request, top_code


def _controller_state(image: ClusterImage, name: str) -> int:
    controller = image.controllers.get(_controller_id(name))
    return 0 if controller is None else int(controller.incarnation_id)


KINDS: Mapping[str, Kind] = {
    "acl": Kind(model=SettingModel(1, 0), request=_acl, look=_acl_state, value=lambda _: 1),
    "quota": Kind(model=SettingModel(0, 0), request=_quota, look=_quota_state),
    "user": Kind(model=SettingModel(0, ErrorCode.RESOURCE_NOT_FOUND), request=_scram, look=_scram_state),
    "subscription": Kind(model=SettingModel(0, 0), request=_subscription, look=_subscription_state),
    "visitor": Kind(
        model=SettingModel(0, ErrorCode.BROKER_ID_NOT_REGISTERED),
        request=_visitor,
        look=_visitor_state,
    ),
    "controller": Kind(
        model=SettingModel(0, ErrorCode.CONTROLLER_ID_NOT_REGISTERED),
        request=_controller,
        look=_controller_state,
    ),
    "feature": Kind(
        model=SettingModel(0, 0),
        request=_feature,
        look=lambda image, name: image.features.get(_feature_of(name), 0),
        operations=("set",),
        value=lambda number: number % 2,
        most=len(_FEATURES),
    ),
}
"""By the beginning of their names."""
