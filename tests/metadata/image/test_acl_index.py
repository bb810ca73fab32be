"""The index of ACLs is what the ACLs say, whatever was added and removed on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.messages import RemoveAccessControlEntryRecord
from kafkaproto_server.metadata.image.acl_index import NO_ACLS, AclIndex
from kafkaproto_server.metadata.image.entries import AccessControlEntry
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.replay import replay
from kafkaproto_server.metadata.image.snapshot import image_from_values, image_values
from tests.metadata.security.support.acl_making import acl, acl_record

NAMES = ("", "*", "t", "tt", "topic")
HOSTS = {
    "*": "*",
    "10.0.0.1": "10.0.0.1",
    "0:0:0:0:0:0:0:1": "::1",
    "::1": "::1",
    "no address": "no address",
    "010.1.2.3/08": "10.0.0.0/8",
    "10.0.0.0/8": "10.0.0.0/8",
    "2001:0DB8::1/32": "2001:db8::/32",
    "no/range": "no/range",
    "10.0.0.0/33": "10.0.0.0/33",
}
LENGTHS = {"10.0.0.0/8": (4, 8), "2001:db8::/32": (6, 32)}

fields = st.fixed_dictionaries(
    {
        "resource_type": st.integers(2, 3),
        "pattern_type": st.integers(3, 4),
        "resource_name": st.sampled_from(NAMES),
        "host": st.sampled_from(tuple(HOSTS)),
        "operation": st.integers(2, 4),
        "permission_type": st.integers(2, 3),
    }
)


def check(index: AclIndex, acls: Mapping[bytes, AccessControlEntry]) -> None:
    """Compare an index with what the ACLs say, one after the other."""
    by_name: dict[tuple[int, int, str], dict[bytes, str]] = {}
    grants: dict[tuple[int, int, str, str, int], Counter[tuple[int, str]]] = {}
    for acl_id, entry in acls.items():
        host = HOSTS[entry.host]
        key = entry.resource_type, entry.pattern_type, entry.resource_name
        by_name.setdefault(key, {})[acl_id] = host
        grant = entry.resource_type, entry.permission_type, entry.principal, host, entry.operation
        grants.setdefault(grant, Counter())[entry.pattern_type, entry.resource_name] += 1
    assert {
        key: {acl_id: entry.host for acl_id, entry in entries.items()}
        for key, entries in index.by_name.items()
    } == by_name
    assert {grant: dict(patterns) for grant, patterns in index.grants.items()} == grants
    ranges = Counter(LENGTHS[host] for entry in acls.values() if (host := HOSTS[entry.host]) in LENGTHS)
    assert dict(index.ranges) == dict(ranges)
    lengths = {
        key: dict(Counter(len(name) for *kind, name in by_name if tuple(kind) == key))
        for key in {(resource_type, pattern_type) for resource_type, pattern_type, _ in by_name}
    }
    assert {key: dict(counts) for key, counts in index.lengths.items()} == lengths


def image_of(added: list[dict[str, object]]) -> ClusterImage:
    image = EMPTY_IMAGE
    for number, each in enumerate(added):
        image = replay(image, acl_record(number.to_bytes(16, "big"), **each), number)
    return image


@given(added=st.lists(fields, max_size=12), removed=st.sets(st.integers(0, 11)))
def test_the_index_is_what_the_acls_say(added: list[dict[str, object]], removed: set[int]) -> None:
    image = image_of(added)
    check(image.acl_index, image.acls)
    for number in sorted(removed):
        if number < len(added):
            record = RemoveAccessControlEntryRecord(id=number.to_bytes(16, "big"))
            image = replay(image, record, len(added) + number)
    check(image.acl_index, image.acls)
    values = [value for value in image_values(image) if value]
    loaded = image_from_values(values, offset=100, epoch=1, timestamp_ms=0)
    assert loaded.acl_index == image.acl_index


def test_the_index_without_acls_is_the_empty_one() -> None:
    image = image_of([{}])
    gone = replay(image, RemoveAccessControlEntryRecord(id=bytes(16)), 1)
    assert gone.acl_index == NO_ACLS


def test_one_more_acl_leaves_those_of_other_names_as_they_are() -> None:
    before = image_of([{"resource_name": "a"}, {"resource_name": "b"}]).acl_index
    after = image_of([{"resource_name": "a"}, {"resource_name": "b"}, {"resource_name": "c"}]).acl_index
    assert before.named(2, 3, "a") == after.named(2, 3, "a")
    assert [*after.named(2, 3, "c").values()] == [acl(resource_name="c")]
    assert not before.named(2, 3, "c")
