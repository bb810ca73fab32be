"""The authorizer: Kafka's StandardAuthorizer as a function of the ACLs in the image.

The first of these rules that applies decides:

1. A super user may do everything.
2. An ACL that denies the operation: no. It has to name the operation itself, or ALL.
3. An ACL that allows it: yes. READ, WRITE, DELETE and ALTER allow DESCRIBE as well, ALTER_CONFIGS allows
   DESCRIBE_CONFIGS.
4. No ACL at all is about the resource, for any principal: as ``allow.everyone.if.no.acl.found`` says.
5. Else no.

An ACL is about a resource if its type is the resource's and it has the resource's name, or ``*``, as a literal
name, or a beginning of the name as a prefix. It applies to a principal if it names the principal or ``User:*``, and to
a host if it names the host's address, a range with it (``10.0.0.0/8``), or ``*``. Kafka compares addresses as strings,
in the long form for IPv6; here all spellings of an address are equal.

Until a node has replayed what a leader called committed, it does not know the ACLs. Until then it allows super users
everything (Kafka: AuthorizerNotReadyException), the other voters what voters need, and nobody else anything: the node
learns of the high watermark, and so of the ACLs, only together with these voters (`LoadingAuthorizer`). Later a node
may lag again; it then decides by the ACLs that it has, as Kafka does.

A decision looks only at the ACLs of the name, of ``*`` and of each length of prefix that occurs, no matter how many
other ACLs there are (`metadata.image.acl_index`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kafkaproto_server.metadata.image.acl_hosts import ranges_with
from kafkaproto_server.metadata.image.acl_index import NO_ACLS, AclIndex, Patterns
from kafkaproto_server.metadata.image.entries import AccessControlEntry
from kafkaproto_server.metadata.security.acls import (
    EVERYBODY,
    WILDCARD,
    Operation,
    PatternType,
    PermissionType,
    ResourceType,
)

# As in Kafka: who may read a topic may know that it is there.
_IMPLYING = {
    Operation.DESCRIBE: frozenset(
        {Operation.DESCRIBE, Operation.READ, Operation.WRITE, Operation.DELETE, Operation.ALTER}
    ),
    Operation.DESCRIBE_CONFIGS: frozenset({Operation.DESCRIBE_CONFIGS, Operation.ALTER_CONFIGS}),
}
"""By operation: the operations whose allowance implies it, itself included."""
_ANY_NAME = "hardcode"
"""The name of a resource with which Kafka tries what needs no ACL."""
MAX_REMEMBERED_HOSTS = 1_000
"""Clients' addresses of which an authorizer remembers the ranges that they are in: at most some megabytes."""


class Authorizer:
    """Authorizes by one state of the ACLs."""

    __slots__ = ("_acls", "_default", "_hosts", "_super_users")

    is_loaded = True
    """Whether the ACLs are known. If not, a request that is refused now may be allowed soon."""

    def __init__(
        self, acls: AclIndex, super_users: frozenset[str], allow_everyone_if_no_acl_found: bool
    ) -> None:
        """``acls`` are those of an image; ``super_users`` have type, colon and name."""
        self._super_users = super_users
        self._default = allow_everyone_if_no_acl_found
        self._acls = acls
        self._hosts: dict[str, frozenset[str]] = {}

    def authorize(
        self, principal: str, host: str, operation: Operation, resource_type: int, resource_name: str
    ) -> bool:
        """Whether a principal may do an operation on a resource, coming from a host's address as `ipaddress`
        writes it."""
        if principal in self._super_users:
            return True
        # Most clusters have no ranges; then nothing need be remembered of a client.
        hosts = (host, WILDCARD) if not self._acls.ranges else self._hosts_of(host)
        is_allowed = has_acls = False
        for entry in self._about(resource_type, resource_name):
            # Of any principal and host: a resource is no longer open to everybody once one ACL is about it.
            has_acls = True
            if entry.principal not in (principal, EVERYBODY) or entry.host not in hosts:
                continue
            if entry.permission_type == PermissionType.ALLOW:
                # Not at once: a denial may still come, and the ACLs are in no order.
                is_allowed = is_allowed or _allows(entry.operation, operation)
            # At once, whatever was allowed before: a denial wins over any allowance.
            elif entry.operation in (operation, Operation.ALL):
                return False
        return is_allowed if has_acls else self._default

    def authorize_by_type(self, principal: str, host: str, operation: Operation, resource_type: int) -> bool:
        """Whether a principal may do an operation on some resource of a type (KIP-679).

        It decides as Kafka's Authorizer.authorizeByResourceType does. What needs no ACL is tried with one name.
        Otherwise an ACL has to allow the operation, itself or by ALL, on a name or on a prefix that no denial covers.
        """
        # Super users, allow.everyone.if.no.acl.found and ACLs for all names, as in Kafka.
        if self.authorize(principal, host, operation, resource_type, _ANY_NAME):
            return True
        asked = principal, host, operation, resource_type
        denied = self._patterns(*asked, PermissionType.DENY)
        # A denial for all names leaves no resource, whatever is allowed.
        if _is_in(denied, PatternType.LITERAL, WILDCARD):
            return False
        allowed = self._patterns(*asked, PermissionType.ALLOW)
        if _is_in(allowed, PatternType.LITERAL, WILDCARD):
            return True
        return any(
            not _is_covered(denied, pattern_type, name)
            for patterns in allowed
            for pattern_type, name in patterns
        )

    def may_on_none(self, principal: str, host: str, operation: Operation, resource_type: int) -> bool:
        """Whether a principal certainly may do an operation on no resource of a type. True is certain. False says
        nothing, least of all that somebody may do something: that is `authorize_by_type`. It costs a few lookups,
        however many ACLs there are."""
        if principal in self._super_users or self._default:
            return False
        denied = self._patterns(principal, host, operation, resource_type, PermissionType.DENY)
        if _is_in(denied, PatternType.LITERAL, WILDCARD):
            return True
        # Allowances only: a denial of READ does not deny DESCRIBE.
        implying = _IMPLYING.get(operation, (operation,))
        return not any(
            self._patterns(principal, host, each, resource_type, PermissionType.ALLOW) for each in implying
        )

    def _patterns(
        self,
        principal: str,
        host: str,
        operation: Operation,
        resource_type: int,
        permission_type: PermissionType,
    ) -> list[Patterns]:
        """For what resources ACLs allow, or deny, somebody an operation, itself or by ALL."""
        grants = (
            (resource_type, int(permission_type), who, address, int(each))
            for who in (principal, EVERYBODY)
            for address in self._hosts_of(host)
            for each in (operation, Operation.ALL)
        )
        return [patterns for each in grants if (patterns := self._acls.granted(each))]

    def _hosts_of(self, host: str) -> frozenset[str]:
        """The hosts, in canonical form, whose ACLs apply to a client's address."""
        found = self._hosts.get(host)
        if found is None:
            found = frozenset((host, WILDCARD, *ranges_with(host, self._acls.ranges)))
            # All of them: to forget only the oldest would cost more than to find a thousand again.
            if len(self._hosts) >= MAX_REMEMBERED_HOSTS:
                self._hosts.clear()
            self._hosts[host] = found
        return found

    def _about(self, resource_type: int, resource_name: str) -> Iterator[AccessControlEntry]:
        acls = self._acls
        yield from acls.named(resource_type, PatternType.LITERAL, resource_name).values()
        # A resource of that very name has been found above.
        if resource_name != WILDCARD:
            yield from acls.named(resource_type, PatternType.LITERAL, WILDCARD).values()
        for length in acls.lengths_up_to(resource_type, PatternType.PREFIXED, len(resource_name)):
            yield from acls.named(resource_type, PatternType.PREFIXED, resource_name[:length]).values()


class LoadingAuthorizer(Authorizer):
    """Authorizes while the ACLs are not known.

    It admits voters by their hosts. This allows nothing that is forbidden later: on a listener without authentication,
    ACLs can distinguish only hosts, and a quorum works only if they allow its voters' hosts CLUSTER_ACTION. Apache
    Kafka allows voters nothing during this time, so that there their principals have to be super users.
    """

    __slots__ = ("_peer_hosts",)

    is_loaded = False

    def __init__(self, super_users: frozenset[str], peer_hosts: frozenset[str]) -> None:
        """``peer_hosts`` are the addresses of the other voters as `ipaddress` writes them."""
        super().__init__(NO_ACLS, super_users, allow_everyone_if_no_acl_found=False)
        self._peer_hosts = peer_hosts

    def authorize(
        self, principal: str, host: str, operation: Operation, resource_type: int, resource_name: str
    ) -> bool:
        # What the requests of voters to each other need, and nothing else.
        is_of_peers = operation is Operation.CLUSTER_ACTION and resource_type == ResourceType.CLUSTER
        return (is_of_peers and host in self._peer_hosts) or super().authorize(
            principal, host, operation, resource_type, resource_name
        )


def _is_in(found: list[Patterns], pattern_type: PatternType, name: str) -> bool:
    return any((int(pattern_type), name) in patterns for patterns in found)


def _is_covered(denied: list[Patterns], pattern_type: int, name: str) -> bool:
    """Whether denials leave nothing of what an ACL is for."""
    if pattern_type == PatternType.LITERAL and _is_in(denied, PatternType.LITERAL, name):
        return True
    return any(_is_in(denied, PatternType.PREFIXED, name[:length]) for length in range(1, len(name) + 1))


def _allows(allowed: int, operation: Operation) -> bool:
    if allowed == Operation.ALL:
        return True
    return allowed in _IMPLYING.get(operation, (operation,))


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizerConfig:
    """How a node's authorizer is configured."""

    super_users: frozenset[str] = frozenset()
    allow_everyone_if_no_acl_found: bool = False


class CurrentAuthorizer:
    """The authorizer of the newest ACLs; it is made anew only if the ACLs have changed."""

    __slots__ = ("_acls", "_authorizer", "_config")

    def __init__(self, config: AuthorizerConfig) -> None:
        self._config = config
        self._acls = NO_ACLS
        self._authorizer = self._made(self._acls)

    def at(self, acls: AclIndex) -> Authorizer:
        """The authorizer of these ACLs of an image."""
        # Images share what did not change between them, so a different index object means different ACLs.
        if acls is not self._acls:
            # A new one, because what it remembers of hosts rests on the ranges of these ACLs.
            self._acls, self._authorizer = acls, self._made(acls)
        return self._authorizer

    def while_loading(self, peer_hosts: frozenset[str]) -> Authorizer:
        """The authorizer of a node that does not know the ACLs yet; see `LoadingAuthorizer`."""
        return LoadingAuthorizer(self._config.super_users, peer_hosts)

    def _made(self, acls: AclIndex) -> Authorizer:
        config = self._config
        return Authorizer(acls, config.super_users, config.allow_everyone_if_no_acl_found)
