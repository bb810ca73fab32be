"""Broken rules of what a snapshot of the metadata holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kafkaproto.messages import ProducerIdsRecord
from kafkaproto.snapshot import build_snapshot
from kafkaproto_server.metadata.image import snapshot
from kafkaproto_server.shell.quorum.snapshots import snapshot_contents
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.mutations.mutation import Mutation, Patches, cluster_mutation


def _leaves_out(function: str, is_left_out: Callable[[Any], bool]) -> Callable[[], Patches]:
    """Have one of the functions that list an image's records leave some of them out."""

    def patches() -> Patches:
        original = getattr(snapshot, function)

        def records(image: Any) -> Iterator[Any]:
            return (record for record in original(image) if not is_left_out(record))

        return [(snapshot, function, records)]

    return patches


def _loses_voters() -> Patches:
    original = build_snapshot

    def build(*arguments: Any, **more: Any) -> Iterator[bytes]:
        return original(*arguments, **{**more, "voters": None})

    return [(snapshot_contents, "build_snapshot", build)]


MUTATIONS: tuple[Mutation, ...] = (
    cluster_mutation(
        "writes snapshots without client quotas",
        MetadataInvariant.SNAPSHOT_GIVES_BACK,
        _leaves_out("_quota_records", lambda _: True),
    ),
    cluster_mutation(
        "writes snapshots without producer ids",
        MetadataInvariant.SNAPSHOT_GIVES_BACK,
        _leaves_out("_messages_after_topics", lambda record: isinstance(record, ProducerIdsRecord)),
    ),
    cluster_mutation("writes snapshots without voters", MetadataInvariant.SNAPSHOT_GIVES_BACK, _loses_voters),
)
