"""The properties files of Apache Kafka's users start our server as they are, and wrong values in them do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs import configuration
from compat.runs.telling import in_silence

pytestmark = pytest.mark.slow


def test_shipped_files_start_each_role_and_wrong_values_none(tmp_path: Path) -> None:
    outcome = configuration.run(tmp_path, tell=in_silence)
    assert outcome.started == ["ours broker,controller", "ours controller", "ours broker"]
    assert len(outcome.refused) == len(configuration.REFUSED)
