"""Classes of values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kafkaproto.values import value_class


@value_class(frozen=True, slots=True, kw_only=True)
class Point:
    x: int
    y: int = 0


@value_class(frozen=True, slots=True, kw_only=True)
class Named(Point):
    name: str


def test_values_are_their_fields() -> None:
    assert Point(x=1) == Point(x=1, y=0)
    assert Point(x=1) != Point(x=2)
    assert len({Point(x=1), Point(x=1, y=0), Point(x=2)}) == 2
    assert repr(Named(x=1, name="a")) == "Named(x=1, y=0, name='a')"
    assert replace(Named(x=1, name="a"), x=2) == Named(x=2, name="a")


def test_values_have_no_other_fields() -> None:
    with pytest.raises(AttributeError):
        Point(x=1).z = 3  # type: ignore[attr-defined]


def test_a_class_whose_values_may_change_is_refused() -> None:
    with pytest.raises(AssertionError):

        @value_class(frozen=False, slots=True, kw_only=True)
        class _Changing:
            x: int
