"""CreateAcls (30, v1-3) and DeleteAcls (31, v1-3): the access control lists that the authorizers of all nodes use
(KIP-11, KIP-290).

Each ACL of a request is created, and each filter is applied, independently of the others: an error in one does not
affect the others. An ACL that exists already, or is named twice, is created once and without an error. The result of a
filter has all ACLs that it selects, even those that another filter of the request selects; each is removed once.

The host of an ACL may be a range of addresses from metadata.version 4.4-IV1 on. At a lower level that is
UNSUPPORTED_VERSION, and a range that is none is INVALID_REQUEST. Filters compare hosts as text: the filter
``10.0.0.0/8`` selects neither ``10.0.0.1`` nor ``10.0.0.1/8``.

Apache Kafka closes the connection if a number is 0 ("unknown"); here that is INVALID_REQUEST, like other unknown
numbers.
"""

from __future__ import annotations

import enum
from collections.abc import Collection
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    CreateAclsRequest,
    CreateAclsResponse,
    DeleteAclsRequest,
    DeleteAclsResponse,
    RemoveAccessControlEntryRecord,
)
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.values.batches import MAX_RECORDS_PER_BATCH
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.metadata.image.acl_hosts import is_range, range_of
from kafkaproto_server.metadata.image.entries import AccessControlEntry
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.records import acl_record
from kafkaproto_server.metadata.image.sorting import sorted_steps
from kafkaproto_server.metadata.security.acls import (
    CLUSTER_NAME,
    AclFilter,
    Operation,
    PatternType,
    PermissionType,
    ResourceType,
    acl_order,
    knows,
)

MAX_MATCHES = 100_000
"""Most ACLs in one response. An ACL counts once for each filter that selects it: many filters may select the same."""
MAX_COMPARISONS = 2_000_000
"""Most comparisons of filters with ACLs in one request: some seconds of work. 20 filters, if there are 100,000 ACLs."""
RANGES_LEVEL = 32
"""metadata.version 4.4-IV1: the first level at which the host of an ACL may be a range of addresses."""
_ACLS_PER_STEP = 8

_CreationResult = CreateAclsResponse.AclCreationResult
_FilterResult = DeleteAclsResponse.DeleteAclsFilterResult


def create_acls(situation: Situation, request: CreateAclsRequest) -> Steps[CommandResult]:
    """Create the ACLs that can be created."""
    # By entry, not by id: Kafka's AclControlManager also finds duplicates by the ACL itself, and
    # creates nothing for them.
    present, taken = situation.image.acl_counts, situation.image.acls
    ids: set[bytes] = set()
    created: dict[AccessControlEntry, bytes] = {}
    results = []
    for creation in request.creations:
        try:
            entry = _checked(creation, situation.image.metadata_version)
        except ApiError as error:
            results.append(_CreationResult(error_code=error.code, error_message=error.message))
            yield
            continue
        # Not an error: Kafka's clients repeat a request whose response was lost.
        if entry not in present:
            acl_id = situation.rng.uuid()
            # Replay refuses a record with an id that exists.
            while acl_id in taken or acl_id in ids:
                acl_id = situation.rng.uuid()
            ids.add(acl_id)
            created[entry] = acl_id
        results.append(_CreationResult(error_message=None))
        yield
    records = tuple(acl_record(acl_id, entry) for entry, acl_id in created.items())
    return CommandResult(response=CreateAclsResponse(results=results), records=records)


def delete_acls(situation: Situation, request: DeleteAclsRequest) -> Steps[CommandResult]:
    """Remove the ACLs that the filters select.

    Raises ApiError if these are more than one batch holds, or if finding them takes more than `MAX_COMPARISONS`.
    """
    removed: dict[bytes, Message] = {}
    results = []
    matches = comparisons = 0
    for each in request.filters:
        acl_filter = AclFilter.of(each)
        problem = acl_filter.problem()
        if problem is not None:
            results.append(_FilterResult(error_code=ErrorCode.INVALID_REQUEST, error_message=problem))
            yield
            continue
        candidates = _candidates(situation.image, acl_filter)
        comparisons += len(candidates)
        # Each filter without a name goes through all ACLs. One request could keep the controller
        # busy for minutes, and every change behind it.
        if comparisons > MAX_COMPARISONS:
            raise _too_many_comparisons(request, situation.image)
        yield
        found = yield from _matches(situation.image, candidates, acl_filter)
        result = _FilterResult(error_message=None)
        for acl_id, entry in found:
            # By id: two filters may select the same ACL, and replay refuses a second removal.
            removed[acl_id] = RemoveAccessControlEntryRecord(id=acl_id)
            result.matching_acls.append(_matching(entry))
            yield
        results.append(result)
        matches += len(found)
        if matches > MAX_MATCHES:
            raise ApiError(
                ErrorCode.INVALID_REQUEST,
                f"The filters mean more than {MAX_MATCHES} ACLs; one request may remove {MAX_RECORDS_PER_BATCH}.",
            )
    # Refused, not divided into batches: an ACL that denies something could be gone while those that
    # allow it remain.
    if len(removed) > MAX_RECORDS_PER_BATCH:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"The filters mean {len(removed)} ACLs; one request may remove {MAX_RECORDS_PER_BATCH}.",
        )
    assert len(removed) <= matches, f"{len(removed)} ACLs removed of {matches} found"
    return CommandResult(response=DeleteAclsResponse(filter_results=results), records=tuple(removed.values()))


def _candidates(image: ClusterImage, acl_filter: AclFilter) -> Collection[bytes]:
    """Ids of the ACLs that a filter may select: all, unless it names the resource and its type."""
    names_one = (
        acl_filter.resource_name is not None
        and acl_filter.resource_type != ResourceType.ANY
        # ANY and MATCH select by other names, too (KIP-290), which the index by name does not find.
        and acl_filter.pattern_type in (PatternType.LITERAL, PatternType.PREFIXED)
    )
    if not names_one:
        return image.acls
    assert acl_filter.resource_name is not None
    return image.acl_index.named(acl_filter.resource_type, acl_filter.pattern_type, acl_filter.resource_name)


def _matches(
    image: ClusterImage, candidates: Collection[bytes], acl_filter: AclFilter
) -> Steps[list[tuple[bytes, AccessControlEntry]]]:
    """The ACLs that a filter selects, with their ids, in order."""
    found = []
    for number, acl_id in enumerate(candidates):
        if number % _ACLS_PER_STEP == 0:
            yield
        entry = image.acls[acl_id]
        if acl_filter.matches(entry):
            found.append((acl_id, entry))
    return (yield from sorted_steps(found, key=lambda item: acl_order(item[1])))


def _too_many_comparisons(request: DeleteAclsRequest, image: ClusterImage) -> ApiError:
    return ApiError(
        ErrorCode.INVALID_REQUEST,
        f"Too much to compare: {len(request.filters)} filters with {len(image.acls)} ACLs. One request may compare"
        f" {MAX_COMPARISONS}; a filter with a resource type, name and pattern type counts for the ACLs of that name.",
    )


def _checked(creation: CreateAclsRequest.AclCreation, metadata_version: int) -> AccessControlEntry:
    """The requested ACL. Raises ApiError: INVALID_REQUEST if it is invalid, UNSUPPORTED_VERSION if its host is a range
    and metadata.version is too low for that."""
    _check_number("resource type", creation.resource_type, ResourceType, (ResourceType.ANY,))
    _check_number(
        "pattern type", creation.resource_pattern_type, PatternType, (PatternType.ANY, PatternType.MATCH)
    )
    _check_number("operation", creation.operation, Operation, (Operation.ANY,))
    _check_number("permission type", creation.permission_type, PermissionType, (PermissionType.ANY,))
    name = creation.resource_name
    if not name:
        raise _invalid("The resource name is empty.")
    # There is one cluster resource. An ACL for any other name would never apply, and look as if it
    # did.
    if creation.resource_type == ResourceType.CLUSTER and name != CLUSTER_NAME:
        raise _invalid(f"The resource name of a CLUSTER is {CLUSTER_NAME}, not {quoted(name)}.")
    # Without a type no client's principal is ever equal to it. The ACL would never apply.
    if ":" not in creation.principal:
        raise _invalid(f"The principal {quoted(creation.principal)} has no colon between its type and name.")
    if not creation.host:
        raise _invalid("The host is empty; * stands for all hosts.")
    _check_range(creation.host, metadata_version)
    return AccessControlEntry(
        resource_type=creation.resource_type,
        resource_name=name,
        pattern_type=creation.resource_pattern_type,
        principal=creation.principal,
        host=creation.host,
        operation=creation.operation,
        permission_type=creation.permission_type,
    )


def _check_range(host: str, metadata_version: int) -> None:
    if not is_range(host):
        return
    if metadata_version < RANGES_LEVEL:
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION,
            f"The host {quoted(host)} is a range of addresses, which ACLs may have from metadata.version 4.4-IV1 on.",
        )
    try:
        range_of(host)
    except ValueError:
        raise _invalid(
            f"The host {quoted(host)} is no range of addresses, such as 10.0.0.0/8 or 2001:db8::/32."
        ) from None


def _check_number(
    what: str, number: int, numbers: type[enum.IntEnum], for_filters: tuple[enum.IntEnum, ...]
) -> None:
    if not knows(numbers, number):
        raise _invalid(f"The {what} {number} is unknown.")
    # ANY and MATCH select ACLs. An ACL of them would be about no resource.
    if number in for_filters:
        raise _invalid(f"The {what} {number} ({numbers(number).name}) is for filters.")


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, message)


def _matching(entry: AccessControlEntry) -> Any:
    return DeleteAclsResponse.DeleteAclsMatchingAcl(
        error_message=None,
        resource_type=entry.resource_type,
        resource_name=entry.resource_name,
        pattern_type=entry.pattern_type,
        principal=entry.principal,
        host=entry.host,
        operation=entry.operation,
        permission_type=entry.permission_type,
    )
