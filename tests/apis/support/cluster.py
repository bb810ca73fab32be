"""A node whose controller is real, asked on both of its kinds of listeners."""

from __future__ import annotations

from kafkaproto.api import api_by_key
from kafkaproto.message import Message
from kafkaproto.messages import EnvelopeResponse, ProduceRequest
from kafkaproto.support import joined
from kafkaproto_server.apis.cluster.envelope import encode_principal
from kafkaproto_server.apis.serving import dispatch
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.types import Endpoint, ListenerKind, ReplicaKey, Voter
from kafkaproto_server.core.controller.values.events import CommandContext, CommandReceived
from kafkaproto_server.core.coordinators.transactions.transaction import NO_TIMEOUT_MS
from kafkaproto_server.core.raft.values.quorum_description import (
    NotLeader,
    QuorumDescription,
    ReplicaDescription,
)
from kafkaproto_server.core.raft.values.voters import VoterSet
from kafkaproto_server.core.raft.wire import describe_quorum_response
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE
from kafkaproto_server.metadata.security.authorizer import AuthorizerConfig, CurrentAuthorizer
from kafkaproto_server.node.services import metadata_port
from kafkaproto_server.requests.context import NoResponse, RequestContext, Response, Unanswered
from tests.apis.cluster.test_envelope import wrapped
from tests.apis.support.replicas import PATH, BrokerReplicas
from tests.apis.support.services import (
    NODE_ID,
    context,
    decoded_response,
    golden,
    services,
    take_response,
    with_changes,
)
from tests.core.controller.support.harness import Harness, directory

BROKER, CONTROLLER = ListenerKind.BROKER, ListenerKind.CONTROLLER
SECRET_KEY = "secret"
LONGEST_WAIT_MS = 2**31
"""Longer than any request can wait."""
FORWARDER = "User:broker"
"""As whom the broker half sends its envelopes."""


class Cluster:
    """Both kinds of listeners of a node whose controller is real; what it appends is committed at once."""

    def __init__(self, *, is_active: bool) -> None:
        self.is_active = is_active
        self.harness = Harness(active=is_active, metadata_version=33, delegation_token_secret_key=SECRET_KEY)
        if is_active:
            self.harness.start_brokers(0, 1)
            self.harness.create_topic("topic-1", [0, 1], [1, 0])
        # ACLs can be asked about, and everybody may do everything.
        settings = AuthorizerConfig(allow_everyone_if_no_acl_found=True)
        authorizer = CurrentAuthorizer(settings).at(EMPTY_IMAGE.acl_index)
        controller = self.harness.controller
        image = (lambda: controller.committed_image) if is_active else (lambda: golden().image)
        self.replicas = BrokerReplicas(
            NODE_ID,
            image,
            directory_ids={PATH: directory(NODE_ID)},
            # Time passes only if nothing else happens: sessions would end before a group is there.
            static_config={
                "group.initial.rebalance.delay.ms": "0",
                # So that a transaction can stay open for as long.
                "transaction.max.timeout.ms": str(NO_TIMEOUT_MS),
            },
        )
        metadata = metadata_port(image, lambda: authorizer)
        standing_still = services(
            golden().image,
            authorizer=lambda: authorizer,
            endpoint=metadata.endpoint,
            rack=metadata.rack,
            **self.replicas.ports,
            groups=self.replicas.groups,
            transactions=self.replicas.transactions,
            share_state=self.replicas.share.coordinators,
            shares=self.replicas.share_partitions,
            submit=self.submit,
            forward=self.forward,
            describe=self.describe_quorum,
            static_config={"node.id": str(NODE_ID), "delegation.token.secret.key": SECRET_KEY},
        )
        self.services = with_changes(standing_still, image=image)

    def submit(self, request: Message, asked: RequestContext) -> Deferred[Response]:
        harness, reply = self.harness, Deferred[Response]()
        command_id = 1_000_000 + len(harness.effects)
        harness.effects.clear()
        harness.handle(
            CommandReceived(
                command_id=command_id,
                request=request,
                version=asked.api_version,
                context=CommandContext(listener_name=asked.listener_name, principal=asked.principal),
            )
        )
        if self.is_active:
            harness.commit()
        response = harness.answer(command_id)
        assert response is not None
        reply.resolve(response)
        return reply

    def forward(self, request: Message, asked: RequestContext) -> Deferred[Response]:
        """As a broker does, by an envelope to the controller listener."""
        principal = encode_principal(asked.principal)
        envelope = wrapped(request, asked.api_version, request_principal=principal)
        reply = self.answer(CONTROLLER, envelope, 0, principal=FORWARDER)
        assert isinstance(reply, EnvelopeResponse)
        unwrapped: Deferred[Response] = Deferred()
        if reply.response_data is None:
            # The broker tries again elsewhere, until it gives up.
            assert (reply.error_code, self.is_active) == (41, False)
            unwrapped.resolve(NoResponse(reason="there is no active controller"))
            return unwrapped
        info = api_by_key(asked.api_key)
        assert info is not None
        offset = 4 + info.response_header_version(asked.api_version)
        data = joined(reply.response_data)
        response, end = info.response_class.decode(data, asked.api_version, offset)
        assert end == len(data)
        unwrapped.resolve(response)
        return unwrapped

    def describe_quorum(self, request: Message, version: int) -> Message:
        key = ReplicaKey(id=1, directory_id=bytes(range(16)))
        voter = Voter(key=key, endpoints=(Endpoint(name="CONTROLLER", host="localhost", port=9093),))
        description = QuorumDescription(
            leader_id=1,
            epoch=3,
            high_watermark=100,
            voters=(ReplicaDescription(key=key, log_end_offset=100),),
            observers=(),
            voter_set=VoterSet(voters=(voter,)),
        )
        return describe_quorum_response(request, version, description if self.is_active else NotLeader())  # type: ignore[arg-type]

    def answer(
        self, kind: ListenerKind, request: Message, version: int, principal: str = "User:alice"
    ) -> Response:
        """The answer to a request that came over the wire; it is known to have an encoding in its version."""
        decoded, _ = type(request).decode(request.encode(version), version)
        name = "PLAINTEXT" if kind is BROKER else "CONTROLLER"
        asked = context(decoded, version, kind=kind, listener_name=name, principal=principal)
        self.replicas.follow()
        found: list[Response] = []
        take_response(dispatch(decoded, asked, self.services), found.append)
        if not found:
            # A long poll, or an acknowledgement that does not come.
            self.replicas.pass_time(LONGEST_WAIT_MS)
        (response,) = found
        response = decoded_response(response, request, version)
        if isinstance(response, NoResponse | Unanswered):
            assert not self.is_active or isinstance(request, ProduceRequest)
            return response
        assert isinstance(response, Message)
        response.encode(0 if isinstance(response, EnvelopeResponse) else version)
        return response
