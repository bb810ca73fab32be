"""A sequence of operations out of a seed."""

from __future__ import annotations

import random

from compat.admin_difference import admin_requests, broker_requests, settings_requests
from compat.admin_difference.broker_requests import beat, register
from compat.admin_difference.compare import Operation
from compat.admin_difference.draw import BROKERS

_KINDS = (*broker_requests.REQUESTS, *admin_requests.REQUESTS, *settings_requests.REQUESTS)


def operations(seed: int, count: int) -> list[Operation]:
    """`count` operations: at first brokers come up, then anything happens."""
    rng = random.Random(seed)
    sequence = []
    for broker_id in BROKERS:
        sequence.append(Operation(f"register {broker_id}", register(broker_id, rng)))
        sequence.append(Operation(f"unfence {broker_id}", beat(broker_id)))
    makers = [maker for _, maker in _KINDS]
    weights = [weight for weight, _ in _KINDS]
    while len(sequence) < count:
        (maker,) = rng.choices(makers, weights)
        sequence.append(Operation(maker.__name__.strip("_"), maker(rng)))
    return sequence[:count]
