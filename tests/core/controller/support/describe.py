"""One line each for events, effects and a controller's state: for transcripts, logs, reports of failures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import assert_never

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message, Struct
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.core.controller.machine.controller import Controller
from kafkaproto_server.core.controller.values.effects import (
    AppendRecords,
    Effect,
    PublishImage,
    Refuse,
    ReportDeath,
    ReportFailure,
    ReportShutdown,
    ReportSilence,
    Respond,
    UpgradeKRaftVersion,
)
from kafkaproto_server.core.controller.values.events import (
    BatchCommitted,
    BecameActive,
    BecameInactive,
    BrokerFailed,
    CommandReceived,
    Event,
    KRaftVersionChanged,
    KRaftVersionUpgraded,
    NodePaused,
    QuorumAppended,
    RecordsCommitted,
    SnapshotLoaded,
    TimePassed,
)

_RECORDS_SHOWN = 20
"""A line stays a line: of a large batch the first records have to do."""


def describe_event(event: Event) -> str:
    """An event and what it carries."""
    match event:
        case BecameActive():
            return f"became active epoch={event.epoch} next={event.next_offset}"
        case BecameInactive():
            return f"became inactive leader={event.leader_id} epoch={event.epoch}"
        case BatchCommitted():
            kinds = "control" if event.records is None else " ".join(_kind(each) for each in event.records)
            return f"batch committed {event.base_offset}..{event.last_offset} epoch={event.epoch} {kinds}"
        case SnapshotLoaded():
            return f"snapshot loaded offset={event.image.offset} epoch={event.image.epoch}"
        case RecordsCommitted():
            return f"high watermark {event.high_watermark}"
        case QuorumAppended():
            return f"control batch appended next={event.next_offset}"
        case KRaftVersionChanged():
            return f"kraft.version {event.kraft_version}"
        case KRaftVersionUpgraded():
            said = "" if event.message is None else f" {event.message}"
            return f"kraft.version upgraded #{event.command_id} {event.error_code.name}{said}"
        case CommandReceived():
            return f"command #{event.command_id} {event.request.NAME} v{event.version}"
        case BrokerFailed():
            return (
                f"broker {event.broker_id} failed epoch={event.broker_epoch}"
                f" silent since {event.silent_since_ms}"
            )
        case NodePaused():
            return f"paused for {event.pause_ms} ms"
        case TimePassed():
            return "tick"
        case _:
            assert_never(event)


def describe_effect(effect: Effect) -> str:
    """An effect; the first records with all that they say, a response with the errors in it."""
    match effect:
        case AppendRecords():
            return f"append epoch={effect.epoch} base={effect.base_offset} {_records(effect.records)}"
        case Respond():
            said = " ".join(_response(effect.response))
            return f"respond #{effect.command_id} {effect.response.NAME} {said}".rstrip()
        case Refuse():
            text = "" if effect.text is None else f" {effect.text}"
            return f"refuse #{effect.command_id} {effect.request.NAME} {effect.code.name}{text}"
        case PublishImage():
            return f"publish image offset={effect.image.offset} high watermark={effect.high_watermark}"
        case UpgradeKRaftVersion():
            only = " validate only" if effect.validate_only else ""
            return (
                f"upgrade kraft.version #{effect.command_id} epoch={effect.epoch} level={effect.level}{only}"
            )
        case ReportFailure():
            return f"report failure {effect.request_name} {effect.error!r}"
        case ReportSilence():
            return f"broker {effect.broker_id} silent epoch={effect.broker_epoch} for {effect.silent_ms} ms"
        case ReportDeath():
            return f"broker {effect.broker_id} dead epoch={effect.broker_epoch} {effect.proof}".rstrip()
        case ReportShutdown():
            what = "goes on" if effect.is_taken_back else "shuts down"
            return f"broker {effect.broker_id} {what} epoch={effect.broker_epoch}"
        case _:
            assert_never(effect)


def describe_controller(controller: Controller) -> str:
    """What the controller is and how far it has come."""
    if controller.is_active:
        role = f"active epoch={controller.active_epoch}"
    else:
        role = f"standby leader={controller.leader_id}"
    newest, committed = controller.newest_image, controller.committed_image
    work = " at work" if controller.has_work else ""
    return (
        f"{role}{work} newest={newest.offset} committed={committed.offset} parked={controller.parked_reply_count}"
        f" brokers={len(newest.brokers)} topics={len(newest.topics)}"
    )


def _kind(record: Message) -> str:
    return record.NAME.removesuffix("Record")


def _records(values: Sequence[bytes]) -> str:
    shown = []
    for value in values[:_RECORDS_SHOWN]:
        message, version = decode_metadata_record(value)
        fields = json.dumps(message.to_json(version), separators=(",", ":"))
        shown.append(f"{_kind(message)}v{version}{fields}")
    if len(values) > _RECORDS_SHOWN:
        shown.append(f"and {len(values) - _RECORDS_SHOWN} more")
    return " ".join(shown)


def _response(response: Struct) -> Iterator[str]:
    """Fields of the response itself, then the error codes of what it lists, in order."""
    names: tuple[str, ...] = response.__slots__
    for name in names:
        value = getattr(response, name)
        if name == "error_code":
            yield ErrorCode(value).name
        elif isinstance(value, list):
            for item in value:
                yield from _listed(item)
        elif name not in ("throttle_time_ms", "unknown_tags"):
            yield f"{name}={value}"


def _listed(item: Struct) -> Iterator[str]:
    """The error code of something that a response lists, or of what that lists in turn; of neither, its fields."""
    error_code: int | None = getattr(item, "error_code", None)
    if error_code is not None:
        yield ErrorCode(error_code).name
        return
    names: tuple[str, ...] = item.__slots__
    for name in names:
        value = getattr(item, name)
        if isinstance(value, list) and value and isinstance(value[0], Struct):
            for inner in value:
                yield from _listed(inner)
        elif isinstance(value, list | int):
            yield f"{name}={value}"
