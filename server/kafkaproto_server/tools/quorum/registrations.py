"""Removing the registration of a node that is gone for good, for the command lines that offer it."""

from __future__ import annotations

from collections.abc import Callable

import click

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import UnsupportedVersionError
from kafkaproto_server.tools.quorum.access import ChangeResult, ResponseLost


def unregistered(kind: str, node_id: int, unregister: Callable[[int], ChangeResult]) -> str:
    """Unregister a node, and return what is to be said of it; ``kind`` is broker or controller.

    Raises ClickException if the cluster refuses, cannot do it, or has not answered.
    """
    failure = f"{kind} {node_id} was not unregistered"
    try:
        outcome = unregister(node_id)
    except UnsupportedVersionError:
        raise click.ClickException(f"{failure}: the cluster's version has no such request") from None
    except ResponseLost as error:
        raise click.ClickException(
            f"it is unknown whether {kind} {node_id} is still registered: {error}"
        ) from error
    if outcome.error is not ErrorCode.NONE:
        raise click.ClickException(f"{failure}: {outcome.error.name}: {outcome.message}")
    return f"{kind.capitalize()} {node_id} is no longer registered."
