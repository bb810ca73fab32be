"""The answers of a stock node that lie in ``golden/``, as the tests compare them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.properties import layered

_FOLDER = Path(__file__).parents[1] / "golden"
NODE_ID = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenStep:
    """What a node said while its file and the metadata held these values."""

    name: str
    static: dict[str, str]
    dynamic: dict[tuple[int, str], dict[str, str]]
    created: dict[str, list[list[Any]]]
    described: dict[tuple[int, str], list[list[Any]]]

    def node_configs(self) -> NodeConfigs:
        """The layers of the node that was asked."""
        return NodeConfigs(
            static=layered(self.static, "server.properties", {}).values,
            dynamic_default=self.dynamic.get((4, "")),
            dynamic_broker=self.dynamic.get((4, str(NODE_ID))),
        )


def golden_steps() -> Iterator[GoldenStep]:
    """All steps of all files."""
    for name in ("plain", "tuned"):
        content = json.loads((_FOLDER / f"{name}.json").read_text())
        for step in content["steps"]:
            yield GoldenStep(
                name=f"{name}, {step['label']}",
                static=content["static"],
                dynamic={_resource(key): values for key, values in step["dynamic"].items()},
                created=step["created"],
                described={_resource(key): rows for key, rows in step["described"].items()},
            )


def _resource(key: str) -> tuple[int, str]:
    resource_type, _, name = key.partition(":")
    return int(resource_type), name
