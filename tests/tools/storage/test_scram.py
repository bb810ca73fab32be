"""--add-scram arguments. The expected keys were printed by kafka-storage of Kafka 4.3.1 for the same arguments."""

from __future__ import annotations

import pytest

from kafkaproto.messages import UserScramCredentialRecord
from kafkaproto_server.tools.storage.scram import parse_scram_argument


def signed(numbers: str) -> bytes:
    """Bytes as Java prints them."""
    return bytes(int(number) % 256 for number in numbers.split(","))


def no_random(_size: int) -> bytes:
    raise AssertionError("the salt was given")


def test_a_password_with_a_given_salt_gives_kafkas_keys() -> None:
    argument = 'SCRAM-SHA-512=[name=alice,iterations=8192,salt="N3E=",password="YCE="]'
    assert parse_scram_argument(argument, no_random) == UserScramCredentialRecord(
        name="alice",
        mechanism=2,
        salt=b"7q",
        stored_key=signed(
            "-36,84,109,105,32,-119,-118,18,19,26,-25,15,20,101,83,89,-35,109,-117,-88,85,21,-12,-84,-88,9,-110,"
            "111,-122,97,-123,-91,31,95,-98,-5,58,-53,91,-5,19,-85,-18,50,-54,-63,14,-11,-61,77,98,75,49,-7,-109,"
            "41,63,27,-34,-6,-111,62,37,116"
        ),
        server_key=signed(
            "-114,-11,-83,-37,-83,87,54,117,-71,-55,-103,95,11,-94,-81,87,-19,-94,1,43,109,110,-50,-48,1,-86,89,60,"
            "-105,111,31,-59,25,119,-74,-56,110,34,-4,-93,-31,-19,-62,14,108,55,118,-18,64,118,77,-51,-85,111,-115,"
            "5,-50,65,62,-68,-109,-62,84,101"
        ),
        iterations=8192,
    )


def test_a_salted_password_gives_kafkas_keys() -> None:
    argument = 'SCRAM-SHA-512=[name=alice,iterations=8192,salt="N3E=",saltedpassword="YCE="]'
    record = parse_scram_argument(argument, no_random)
    assert record.stored_key == signed(
        "113,118,-93,73,-7,30,-78,-31,29,-103,-23,87,48,-127,53,22,-14,-10,69,115,-33,-62,90,-26,24,-84,-86,-23,-88,"
        "-65,-42,108,-70,26,116,1,-112,2,-45,-120,55,-29,-15,-68,-84,-120,0,21,-77,43,35,119,94,113,-91,109,-84,18,"
        "38,-87,-92,-77,-79,-67"
    )
    assert record.server_key == signed(
        "76,97,124,14,-35,-18,90,-58,88,95,47,-65,80,27,124,-23,91,71,13,107,-16,31,27,84,-100,38,60,24,-95,-75,64,"
        "110,-90,-72,95,72,-45,-57,-39,-36,-60,52,114,-22,112,69,-99,-82,99,-94,-118,-12,-125,90,100,120,-72,59,17,"
        "-62,15,6,12,7"
    )


def test_a_password_with_a_random_salt_gives_the_keys_that_kafka_had_for_that_salt() -> None:
    salt = signed(
        "98,101,98,53,110,99,50,97,121,119,100,121,57,107,114,113,120,56,100,106,114,56,119,104,119"
    )
    record = parse_scram_argument("SCRAM-SHA-256=[name=alice,password=alice-secret]", lambda _size: salt)
    assert record == UserScramCredentialRecord(
        name="alice",
        mechanism=1,
        salt=salt,
        stored_key=signed(
            "-75,-106,7,27,95,-86,-63,55,70,47,-52,-37,-15,-10,63,99,-27,9,16,103,-68,-3,-17,6,23,-71,64,-104,-32,1,"
            "122,114"
        ),
        server_key=signed(
            "115,-119,27,-53,84,39,-54,-53,-105,2,10,1,-83,49,-9,127,-20,-84,10,-26,59,26,-31,-73,42,-123,120,-76,57,"
            "-122,93,-125"
        ),
        iterations=4096,
    )


@pytest.mark.parametrize(
    ("argument", "complaint"),
    [
        ("SCRAM-SHA-256", "Failed to find equals sign in SCRAM argument 'SCRAM-SHA-256'"),
        (
            "SCRAM-SHA-1=[name=a,password=b]",
            "mechanism SCRAM-SHA-1 is not supported; SCRAM-SHA-256 and SCRAM-SHA-512",
        ),
        ("SCRAM-SHA-256=name=a", "in brackets"),
        ("SCRAM-SHA-256=[password=b]", "You must supply 'name'"),
        ("SCRAM-SHA-256=[name=,password=b]", "You must supply 'name'"),
        ("SCRAM-SHA-256=[name=a]", "one of 'password' or 'saltedpassword'"),
        ("SCRAM-SHA-256=[name=a,saltedpassword=YCE=]", "'salt' with 'saltedpassword'"),
        (
            "SCRAM-SHA-256=[name=a,password=b,iterations=100]",
            ">= 4096 and <= 16384 for add-scram using SCRAM-SHA-256",
        ),
        ("SCRAM-SHA-256=[name=a,password=b,iterations=20000]", "it is 20000"),
        ("SCRAM-SHA-256=[name=a,password=b,iterations=many]", "it is many"),
        ("SCRAM-SHA-256=[name=a,password=b,foo=c]", "Unknown SCRAM configurations: foo"),
        ("SCRAM-SHA-256=[name=a,password=b,salt=%]", "'salt' value of add-scram is not base64"),
        ("SCRAM-SHA-256=[name=a,password=b,salt=]", "'salt' value of add-scram is empty"),
    ],
)
def test_what_is_no_credential_is_told(argument: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_scram_argument(argument, bytes)


def test_a_password_that_was_cut_in_two_is_not_shown() -> None:
    with pytest.raises(ValueError, match="no equals sign") as caught:
        parse_scram_argument('SCRAM-SHA-256=[name=bob,password="hunter,2"]', bytes)
    assert '2"' not in str(caught.value)
