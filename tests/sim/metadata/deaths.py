"""Proofs that brokers have failed: after a broker's connection ended, its controller finds that nobody listens there.

This stands for what `shell.quorum.broker_probe` does over sockets. The proof is right when it is found. The controller
may receive it only later, and by then another incarnation of the broker may be running.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kafkaproto_server.core.controller.values.effects import ReportDeath
from kafkaproto_server.core.controller.values.events import BrokerFailed
from tests.sim.checkers.invariants import ViolationError
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.metadata.node import Node

if TYPE_CHECKING:
    from tests.sim.metadata.brokers import Broker
    from tests.sim.world import World

SHARE = 0.5
"""Share of the failures that are proven, if the host is up and refuses connections."""
LONGEST_DELAY_US = 2_000_000


def prove_death(world: World, broker: Broker) -> None:
    """The broker's process is gone: report that to the active controllers, now or a little later."""
    if broker.node.is_host_down or world.rng.random() > SHARE:
        return
    for controller in world.controllers:
        assert isinstance(controller, Node)
        registered = controller.image.brokers.get(broker.node.id)
        is_cut = world.network.is_lost(broker.node.id, controller.id)
        if not controller.is_up or not controller.is_active or registered is None or is_cut:
            continue
        death = BrokerFailed(
            broker_id=broker.node.id,
            broker_epoch=registered.epoch,
            silent_since_ms=controller.now_ms(),
        )
        # Mostly at once; sometimes the controller has much else to do.
        delay_us = int(world.rng.random() ** 3 * LONGEST_DELAY_US)
        world.after(delay_us, _notify, (broker, controller, controller.life, death))


def _notify(told: tuple[Broker, Node, int, BrokerFailed]) -> None:
    _, controller, life, death = told
    if not controller.is_up or controller.life != life or controller.half is None:
        return
    if controller.is_paused:
        controller.inbox.append((_notify, told))
        return
    controller.broker_failed(death)


def check_death(brokers: Mapping[int, Broker], controller: Node, death: ReportDeath) -> None:
    """A controller has fenced a broker because of a proof: check that its process is gone."""
    broker = brokers[death.broker_id]
    broker.faults.count("proven death", death.broker_id)
    registered = controller.controller.newest_image.brokers.get(death.broker_id)
    assert registered is not None, f"broker {death.broker_id} is fenced, but was not registered"
    if broker.answers_as(registered.epoch):
        raise ViolationError(
            MetadataInvariant.ANSWERING_NEVER_PROVEN_DEAD,
            f"node {controller.id} fences epoch {registered.epoch} by {death}",
        )
