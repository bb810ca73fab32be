"""The task that registers this node's controller with the active one (KIP-919).

Clients that talk to controllers directly find this controller only through its RegisterControllerRecord.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import trio

from kafkaproto.error_codes import describe
from kafkaproto.messages import ControllerRegistrationRequest, ControllerRegistrationResponse
from kafkaproto_server.base.backoff import Backoff
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.metadata.image.records import CONTROLLER_REGISTRATION_LEVEL
from kafkaproto_server.shell.quorum.image.published import Published
from kafkaproto_server.shell.to_controller.channel import ControllerChannel, ControllerUnavailable

_log = logging.getLogger("kafkaproto.server.controller")

_TIMEOUT_MS = 5_000
_BACKOFF = Backoff(first_ms=100, longest_ms=120_000)


async def keep_registered(
    *,
    node_id: int,
    incarnation_id: bytes,
    endpoints: Sequence[Endpoint],
    features: Mapping[str, tuple[int, int]],
    channel: ControllerChannel,
    published: Published,
) -> None:
    """Register whenever the metadata does not contain this incarnation. Runs until cancelled."""

    def has_nothing_to_do() -> bool:
        image = published.image
        registered = image.controllers.get(node_id)
        return image.metadata_version < CONTROLLER_REGISTRATION_LEVEL or (
            # A record of an earlier start may name ports that nobody listens on any more.
            registered is not None and registered.incarnation_id == incarnation_id
        )

    failures = 0
    while True:
        if has_nothing_to_do():
            failures = 0
            await published.changed.wait()
        elif await _register(node_id, incarnation_id, endpoints, features, channel):
            # The record may not be in this node's image yet.
            with trio.move_on_after(_TIMEOUT_MS / 1000):
                while not has_nothing_to_do():
                    await published.changed.wait()
        else:
            failures += 1
            await trio.sleep(_BACKOFF.delay_ms(failures) / 1000)


async def _register(
    node_id: int,
    incarnation_id: bytes,
    endpoints: Sequence[Endpoint],
    features: Mapping[str, tuple[int, int]],
    channel: ControllerChannel,
) -> bool:
    request = ControllerRegistrationRequest(
        controller_id=node_id,
        incarnation_id=incarnation_id,
        listeners=[
            ControllerRegistrationRequest.Listener(
                name=endpoint.name,
                host=endpoint.host,
                port=endpoint.port,
                security_protocol=endpoint.security_protocol,
            )
            for endpoint in endpoints
        ],
        features=[
            ControllerRegistrationRequest.Feature(
                name=name, min_supported_version=lowest, max_supported_version=highest
            )
            for name, (lowest, highest) in sorted(features.items())
        ],
    )
    try:
        response = await channel.send(request, timeout_ms=_TIMEOUT_MS)
    except ControllerUnavailable as error:
        _log.warning("%s", error)
        return False
    assert isinstance(response, ControllerRegistrationResponse)
    if response.error_code:
        info = describe(response.error_code)
        _log.warning("the controller's registration was refused: %s: %s", info.name, response.error_message)
        return False
    return True
