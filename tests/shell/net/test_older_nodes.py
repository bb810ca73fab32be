"""Which fields a node of an older release does not get."""

from __future__ import annotations

import pytest

from kafkaproto.errors import UnsupportedVersionError
from kafkaproto.messages import BrokerHeartbeatRequest, DescribeClusterRequest
from kafkaproto.schema import within
from kafkaproto_server.shell.net.older_nodes import LEFT_OUT, fitted

FULL = BrokerHeartbeatRequest(
    broker_id=1, offline_log_dirs=[b"1" * 16], cordoned_log_dirs=[b"2" * 16], want_shut_down=True
)


def test_a_heartbeat_goes_without_its_cordoned_directories_where_no_version_has_them() -> None:
    assert fitted(FULL, 2) is FULL
    older = fitted(FULL, 1)
    assert older == BrokerHeartbeatRequest(broker_id=1, offline_log_dirs=[b"1" * 16], want_shut_down=True)
    assert older.encode(1)
    # The sender may send it again to a node that is newer.
    assert FULL.cordoned_log_dirs == [b"2" * 16]


def test_a_field_that_must_not_be_lost_is_kept_and_refused() -> None:
    request = DescribeClusterRequest(include_fenced_brokers=True)
    assert fitted(request, 1) is request
    with pytest.raises(UnsupportedVersionError, match="include_fenced_brokers"):
        fitted(request, 1).encode(1)
    with pytest.raises(UnsupportedVersionError, match="offline_log_dirs"):
        fitted(FULL, 0).encode(0)


def test_the_table_names_fields_that_some_versions_lack() -> None:
    for message, names in LEFT_OUT.items():
        fields = {each.attribute: each for each in message.schema().root.fields}
        for name in names:
            assert not within(message.MIN_VERSION, fields[name].versions)
