"""Changes the levels of this node's loggers for IncrementalAlterConfigs (KIP-412, KIP-1000).

The levels belong to the node: they are not recorded in the metadata log, and a restart resets them. A level is one of
Kafka's six words, in capitals, and the logger must exist. Deleting a level gives the logger that of the nearest logger
above it; this is not possible for the root. Either all changes of a request are made, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.error_texts import MAX_QUOTED_LENGTH, quoted

_LEVELS = ("DEBUG", "ERROR", "FATAL", "INFO", "TRACE", "WARN")
_ROOT = "root"
_SET, _DELETE, _APPEND, _SUBTRACT = range(4)
_LIST_OPERATIONS = {_APPEND: "APPEND", _SUBTRACT: "SUBTRACT"}

Outcome: TypeAlias = tuple[ErrorCode, str | None]
"""An error code, and the reason in words."""
CHANGED: Outcome = (ErrorCode.NONE, None)


def change_logger_levels(
    configs: Any,
    *,
    validate_only: bool,
    levels: Mapping[str, str],
    set_levels: Callable[[Mapping[str, str | None]], None],
) -> Outcome:
    """Apply the operations of a resource. ``levels`` has the levels of all loggers that exist."""
    changes: dict[str, str | None] = {}
    for config in configs:
        problem = _problem(config, levels)
        if problem is not None:
            return problem
        changes[config.name] = config.value if config.config_operation == _SET else None
    # Only after every operation was examined, so that a mistake changes nothing.
    if not validate_only:
        set_levels(changes)
    return CHANGED


def _problem(config: Any, levels: Mapping[str, str]) -> Outcome | None:
    """What is wrong with one operation; None if it can be carried out."""
    logger, operation = config.name[:MAX_QUOTED_LENGTH], config.config_operation
    if operation in _LIST_OPERATIONS:
        word = _LIST_OPERATIONS[operation]
        return ErrorCode.INVALID_REQUEST, f"{word} is for lists, and the level of {logger} is none."
    if operation not in (_SET, _DELETE):
        return ErrorCode.INVALID_REQUEST, f"Operation {operation} on {logger} is none of 0 (SET), 1 (DELETE)."
    if config.name not in levels:
        return ErrorCode.INVALID_CONFIG, f"Logger {logger} does not exist."
    if operation == _DELETE:
        if config.name == _ROOT:
            return (
                ErrorCode.INVALID_REQUEST,
                f"The level of {logger} cannot be deleted, as nothing is above it.",
            )
        return None
    if config.value is None:
        return ErrorCode.INVALID_REQUEST, f"Null is no level for {logger}."
    if config.value not in _LEVELS:
        return (
            ErrorCode.INVALID_CONFIG,
            f"{logger}={quoted(config.value)} must be one of {', '.join(_LEVELS)}.",
        )
    return None
