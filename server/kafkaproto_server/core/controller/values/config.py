"""The configs of one controller.

Apache Kafka: ``KafkaConfig`` and ``QuorumController.Builder``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerConfig:
    """Settings of one controller; the defaults are Kafka's."""

    broker_session_timeout_ms: int = 9_000
    """broker.session.timeout.ms: silence after which a broker is fenced."""
    metadata_max_idle_interval_ms: int = 500
    """metadata.max.idle.interval.ms: how often a NoOpRecord is written; 0 for never."""
    num_partitions: int = 1
    """num.partitions, for topics that are created without a count."""
    default_replication_factor: int = 1
    """default.replication.factor, for topics that are created without one."""
    delete_topic_enable: bool = True
    """delete.topic.enable."""
    auto_leader_rebalance_enable: bool = True
    """auto.leader.rebalance.enable: whether the controller makes preferred replicas leaders again by itself."""
    leader_imbalance_check_interval_seconds: int = 300
    """leader.imbalance.check.interval.seconds: how often it does so."""
    unclean_leader_election_interval_ms: int = 300_000
    """unclean.leader.election.interval.ms: how often partitions without a leader get a replica that lags as their
    leader, if the topic allows it."""
    broker_death_proof_enable: bool = True
    """broker.death.proof.enable: whether a broker whose process is provably gone is fenced at once."""
    controller_quota_window_num: int = 11
    """controller.quota.window.num: the windows over which the rate of partition changes is measured."""
    controller_quota_window_size_seconds: int = 1
    """controller.quota.window.size.seconds: the length of each of them."""
    authorizer_class_name: str = ""
    """authorizer.class.name: empty for no access control."""
    super_users: frozenset[str] = frozenset()
    """super.users: principals that may do everything, each as type, colon and name."""
    allow_everyone_if_no_acl_found: bool = False
    """allow.everyone.if.no.acl.found."""
    delegation_token_secret_key: str | None = field(default=None, repr=False)
    """delegation.token.secret.key; None if delegation tokens are not enabled."""
    delegation_token_max_lifetime_ms: int = 604_800_000
    """delegation.token.max.lifetime.ms."""
    delegation_token_expiry_time_ms: int = 86_400_000
    """delegation.token.expiry.time.ms: how long a token is valid unless it is renewed."""
    delegation_token_expiry_check_interval_ms: int = 3_600_000
    """delegation.token.expiry.check.interval.ms: how often expired tokens are removed."""
    static_config: Mapping[str, str] = field(default_factory=dict)
    """The node's properties as given: topics inherit them if neither the topic nor the cluster has a value."""
    local_broker_incarnation_id: bytes | None = None
    """Incarnation id of the broker in this process; None in a controller-only process."""
    static_voter_ids: tuple[int, ...] = ()
    """Node ids of controller.quorum.voters; empty if the voters are in the log."""
