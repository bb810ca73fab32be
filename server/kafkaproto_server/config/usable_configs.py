"""The configs of topics or groups as a node uses them: what this release does not allow is replaced and logged."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from kafkaproto_server.config.keys.model import ConfigDefinition
from kafkaproto_server.config.keys.usable import usable

_log = logging.getLogger("kafkaproto.server.configs")


class UsableConfigs:
    """The configs of all resources of one type. Images share what did not change, so most calls cost a comparison."""

    def __init__(self, definitions: Mapping[str, ConfigDefinition], what: str) -> None:
        """``what`` is the type of resource, for the log."""
        self._definitions = definitions
        self._what = what
        self._known: dict[str, tuple[Mapping[str, str], Mapping[str, str]]] = {}

    def of(self, name: str, own: Mapping[str, str]) -> Mapping[str, str]:
        """What a resource sets, without what cannot be used, or with the nearest value in its place."""
        if not own:
            self.forget(name)
            return own
        known = self._known.get(name)
        if known is not None and known[0] is own:
            return known[1]
        found, unusable = usable(self._definitions, own)
        told = set() if known is None else set(usable(self._definitions, known[0])[1])
        for each in unusable:
            if each not in told:
                _log.warning("%s %r: %s", self._what, name, each.describe())
        self._known[name] = own, found
        return found

    def forget(self, name: str) -> None:
        self._known.pop(name, None)
