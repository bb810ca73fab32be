"""How much memory the description of a group will take, before it is made."""

from __future__ import annotations

from kafkaproto_server.apis.bounds import BYTES_A_VALUE
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.core.coordinators.values import CoordinatorError


def bytes_to_describe(group_id: str, services: Services) -> int:
    """The bytes of the description, about; 0 if this broker does not coordinate the group."""
    try:
        return BYTES_A_VALUE * services.groups.of(group_id).described_values(group_id)
    except CoordinatorError:
        return 0
