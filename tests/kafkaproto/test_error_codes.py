"""The error table: numbers as the protocol has them, and a description for whatever number arrives."""

import pickle

import pytest

from kafkaproto.error_codes import ErrorCode, describe

# Seen in answers of stock 4.3.1 nodes, with what a stock client does about them.
SEEN = [
    (-1, "UNKNOWN_SERVER_ERROR", False),
    (0, "NONE", False),
    (3, "UNKNOWN_TOPIC_OR_PARTITION", True),
    (6, "NOT_LEADER_OR_FOLLOWER", True),
    (7, "REQUEST_TIMED_OUT", True),
    (34, "ILLEGAL_SASL_STATE", False),
    (35, "UNSUPPORTED_VERSION", False),
    (36, "TOPIC_ALREADY_EXISTS", False),
    (41, "NOT_CONTROLLER", True),
    (42, "INVALID_REQUEST", False),
    (74, "FENCED_LEADER_EPOCH", True),
    (77, "STALE_BROKER_EPOCH", False),
    (94, "INCONSISTENT_VOTER_SET", False),
    (100, "UNKNOWN_TOPIC_ID", True),
    (104, "INCONSISTENT_CLUSTER_ID", False),
    (114, "MISMATCHED_ENDPOINT_TYPE", False),
    (125, "INVALID_VOTER_KEY", False),
    (133, "SHARE_SESSION_LIMIT_REACHED", True),
]


@pytest.mark.parametrize(("code", "name", "retriable"), SEEN)
def test_a_known_number_is_described(code: int, name: str, retriable: bool) -> None:
    info = describe(code)
    assert info.code == code
    assert info.name == name
    assert info.retriable is retriable
    assert info.message


def test_a_number_nobody_knows_becomes_an_unknown_server_error_that_tells_the_number() -> None:
    info = describe(30_000)
    assert info.code is ErrorCode.UNKNOWN_SERVER_ERROR
    assert info.name == "UNKNOWN_SERVER_ERROR"
    assert not info.retriable
    assert "30000" in info.message


def test_codes_have_no_gap() -> None:
    assert sorted(ErrorCode) == list(range(-1, 137))


def test_every_code_has_a_message_of_its_own_that_is_a_sentence() -> None:
    messages = [code.message for code in ErrorCode]
    assert len(set(messages)) == len(messages)
    assert all(message.endswith(".") for message in messages)


def test_a_code_is_its_number_and_survives_pickling() -> None:
    assert int(ErrorCode.NOT_CONTROLLER) == 41
    assert ErrorCode(41) is ErrorCode.NOT_CONTROLLER
    assert pickle.loads(pickle.dumps(ErrorCode.NOT_CONTROLLER)) is ErrorCode.NOT_CONTROLLER
