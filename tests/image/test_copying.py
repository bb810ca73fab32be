"""The quick copy does what `dataclasses.replace` does."""

from __future__ import annotations

import dataclasses

import pytest
from immutables import Map

from server.image.copying import copy_with
from server.image.image import ClusterImage, PartitionImage, TopicImage


@pytest.mark.parametrize(
    ("value", "changes"),
    [
        (ClusterImage(offset=3, features=Map(a=1)), {}),
        (ClusterImage(offset=3, features_offset=2), {"offset": 4, "topic_ids": Map(t=b"x")}),
        (TopicImage(name="t", topic_id=bytes(16), partitions=Map()), {"name": "u"}),
        (PartitionImage(replicas=(1,), directories=(bytes(16),), isr=(1,)), {"isr": (), "elr": (1,)}),
    ],
)
def test_it_is_a_copy_with_some_fields_changed(value: ClusterImage, changes: dict[str, object]) -> None:
    before = dataclasses.astuple(value)
    copy = copy_with(value, **changes)  # type: ignore[arg-type]
    expected = dataclasses.replace(value, **changes)  # type: ignore[arg-type]
    assert type(copy) is type(value)
    assert dataclasses.astuple(copy) == dataclasses.astuple(expected)
    assert dataclasses.astuple(value) == before
