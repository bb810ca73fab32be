"""Our error table against the one in Kafka's own jars."""

import pytest

from compat.parity.errors import read_error_table
from compat.parity.jars import jars_directory
from kafkaproto.error_codes import ErrorCode


@pytest.mark.jvm
@pytest.mark.slow
def test_the_error_table_is_that_of_the_release() -> None:
    ours = {int(code): (code.name, code.retriable) for code in ErrorCode}
    assert ours == read_error_table(jars_directory())
