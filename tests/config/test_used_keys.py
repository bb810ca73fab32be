"""The keys of which a node says at its start that they have no effect: none of them is read anywhere."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from kafkaproto_server.config.keys.definitions import BROKER_KEYS
from kafkaproto_server.config.node_config import Config
from kafkaproto_server.config.used_keys import USED_BESIDE_FIELDS

PRODUCT = Path(__file__).parents[2] / "server" / "kafkaproto_server"
OF_SETTINGS = ("config",)
"""The room that knows of keys without an effect, too."""
LITERAL = re.compile(r'"([a-z]+(?:\.[a-z]+)+)"')


def test_a_key_that_is_read_has_an_effect() -> None:
    used = {each.name.replace("_", ".") for each in fields(Config)}.union(USED_BESIDE_FIELDS)
    read: set[str] = set()
    for path in PRODUCT.rglob("*.py"):
        if path.relative_to(PRODUCT).parts[0] not in OF_SETTINGS:
            text = path.read_text()
            read |= set(LITERAL.findall(text))
    read &= set(BROKER_KEYS)
    assert len(read) > 100
    assert sorted(read - used) == []
