"""What each key does, in a sentence or two of our own, as DescribeConfigs and user interfaces show it.

``descriptions.json`` has a part for each kind of resource. A text ends with "No effect here." if the key is known,
shown and checked, and changes nothing of this server.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
from collections.abc import Mapping


def description(kind: str, name: str) -> str:
    """The text of a key of a kind of resource, as the files of keys are called; empty for an unknown one."""
    return _all().get(kind, {}).get(name, "")


@functools.cache
def _all() -> Mapping[str, Mapping[str, str]]:
    # Read once somebody asks for it, which few do.
    found: Mapping[str, Mapping[str, str]] = json.loads(
        importlib.resources.files(__package__).joinpath("descriptions.json").read_text("utf-8")
    )
    return found
