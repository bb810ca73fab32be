"""CreateAcls (30, v1-3) and DeleteAcls (31, v1-3): the access control lists that the authorizers of all nodes go by
(KIP-11, KIP-290).

Each ACL of a request is created, and each filter served, for itself; what is wrong with one leaves the others
alone. An ACL that exists, or is given twice, is created silently once. A filter answers with the ACLs that it means,
also those that another filter of the request means; each is removed once.

Stock closes the connection over the number 0 ("unknown"), which is INVALID_REQUEST here as other unknown numbers are;
so is, unlike with stock, an ACL for no host, which could never count.
"""

from __future__ import annotations

import enum
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
from server.controller.batches import MAX_RECORDS_PER_BATCH
from server.controller.command import ApiError, Result, Situation
from server.error_texts import quoted
from server.image.image import AccessControlEntry
from server.image.records import acl_record
from server.image.sorting import sorted_steps
from server.security.acls import (
    CLUSTER_NAME,
    AclFilter,
    Operation,
    PatternType,
    PermissionType,
    ResourceType,
    acl_order,
    knows,
)
from server.types import Steps

MAX_MATCHES = 100_000
"""ACLs that one answer tells of, each as often as filters mean it: many filters may mean the same."""
_ACLS_PER_STEP = 16

_CreationResult = CreateAclsResponse.AclCreationResult
_FilterResult = DeleteAclsResponse.DeleteAclsFilterResult


def create_acls(situation: Situation, request: CreateAclsRequest) -> Steps[Result]:
    """Create the ACLs that can be created."""
    present, taken = situation.image.acl_counts, situation.image.acls
    ids: set[bytes] = set()
    created: dict[AccessControlEntry, bytes] = {}
    results = []
    for creation in request.creations:
        try:
            entry = _checked(creation)
        except ApiError as error:
            results.append(_CreationResult(error_code=error.code, error_message=error.message))
            yield
            continue
        if entry not in present:
            acl_id = situation.rng.uuid()
            while acl_id in taken or acl_id in ids:
                acl_id = situation.rng.uuid()
            ids.add(acl_id)
            created[entry] = acl_id
        results.append(_CreationResult(error_message=None))
        yield
    records = tuple(acl_record(acl_id, entry) for entry, acl_id in created.items())
    return Result(response=CreateAclsResponse(results=results), records=records)


def refuse_acl_creations(request: CreateAclsRequest, error: ApiError) -> CreateAclsResponse:
    """The answer to a request that is refused as a whole: the error once for each ACL."""
    return CreateAclsResponse(
        results=[
            _CreationResult(error_code=error.code, error_message=error.message) for _ in request.creations
        ]
    )


def delete_acls(situation: Situation, request: DeleteAclsRequest) -> Steps[Result]:
    """Remove the ACLs that the filters mean; raises ApiError where they are more than one batch holds."""
    removed: dict[bytes, Message] = {}
    results = []
    in_order = yield from sorted_steps(situation.image.acls.items(), key=lambda item: acl_order(item[1]))
    matches = 0
    for each in request.filters:
        acl_filter = AclFilter.of(each)
        problem = acl_filter.problem()
        if problem is not None:
            results.append(_FilterResult(error_code=ErrorCode.INVALID_REQUEST, error_message=problem))
            yield
            continue
        result = _FilterResult(error_message=None)
        for number, (acl_id, entry) in enumerate(in_order):
            if number % _ACLS_PER_STEP == 0:
                yield
            if acl_filter.matches(entry):
                removed[acl_id] = RemoveAccessControlEntryRecord(id=acl_id)
                result.matching_acls.append(_matching(entry))
                matches += 1
        results.append(result)
        if matches > MAX_MATCHES:
            raise ApiError(
                ErrorCode.INVALID_REQUEST,
                f"The filters mean more than {MAX_MATCHES} ACLs; one request may remove {MAX_RECORDS_PER_BATCH}.",
            )
    if len(removed) > MAX_RECORDS_PER_BATCH:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"The filters mean {len(removed)} ACLs; one request may remove {MAX_RECORDS_PER_BATCH}.",
        )
    return Result(response=DeleteAclsResponse(filter_results=results), records=tuple(removed.values()))


def refuse_acl_deletions(request: DeleteAclsRequest, error: ApiError) -> DeleteAclsResponse:
    """The answer to a request that is refused as a whole: the error once for each filter."""
    return DeleteAclsResponse(
        filter_results=[
            _FilterResult(error_code=error.code, error_message=error.message) for _ in request.filters
        ]
    )


def _checked(creation: CreateAclsRequest.AclCreation) -> AccessControlEntry:
    """The ACL that is asked for; raises ApiError (INVALID_REQUEST) where there can be none like that."""
    _check_number("resource type", creation.resource_type, ResourceType, (ResourceType.ANY,))
    _check_number(
        "pattern type", creation.resource_pattern_type, PatternType, (PatternType.ANY, PatternType.MATCH)
    )
    _check_number("operation", creation.operation, Operation, (Operation.ANY,))
    _check_number("permission type", creation.permission_type, PermissionType, (PermissionType.ANY,))
    name = creation.resource_name
    if not name:
        raise _invalid("The resource name is empty.")
    if creation.resource_type == ResourceType.CLUSTER and name != CLUSTER_NAME:
        raise _invalid(f"The resource name of a CLUSTER is {CLUSTER_NAME}, not {quoted(name)}.")
    if ":" not in creation.principal:
        raise _invalid(f"The principal {quoted(creation.principal)} has no colon between its type and name.")
    if not creation.host:
        raise _invalid("The host is empty; * stands for all hosts.")
    return AccessControlEntry(
        resource_type=creation.resource_type,
        resource_name=name,
        pattern_type=creation.resource_pattern_type,
        principal=creation.principal,
        host=creation.host,
        operation=creation.operation,
        permission_type=creation.permission_type,
    )


def _check_number(
    what: str, number: int, numbers: type[enum.IntEnum], for_filters: tuple[enum.IntEnum, ...]
) -> None:
    if not knows(numbers, number):
        raise _invalid(f"The {what} {number} is unknown.")
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
