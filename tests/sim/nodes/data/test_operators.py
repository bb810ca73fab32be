"""Who deletes records: where."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from tests.sim.nodes.data.ledger import Known
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.data.operators import HIGH_WATERMARK, Deleter

PLACE: Place = ("topic", 0)


@pytest.mark.parametrize("is_bold", [False, True])
def test_only_a_bold_deleter_names_parts_of_batches_and_what_is_not_committed(is_bold: bool) -> None:
    known = Known(1)
    known.shown = {base: (base + 5, (1, 0)) for base in range(0, 50, 5)}
    ledger: Any = SimpleNamespace(known={PLACE: known})
    net: Any = SimpleNamespace(address="deleter")
    deleter = Deleter(net, [], ledger, random.Random(1), [PLACE], is_bold=is_bold)
    offsets = {deleter._offset(PLACE) for _ in range(400)}
    assert HIGH_WATERMARK in offsets
    parts = {each for each in offsets if 0 <= each < 25 and each % 5}
    beyond = {each for each in offsets if each > 50}
    assert offsets == {HIGH_WATERMARK, *range(0, 25, 5)} | parts | beyond
    assert bool(parts) is bool(beyond) is is_bold
