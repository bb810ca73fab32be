"""Configs, ACLs, quotas, credentials, tokens, features and producer ids of a synthetic history."""

from __future__ import annotations

from kafkaproto.message import Message
from kafkaproto.messages import (
    ClientQuotaRecord,
    ConfigRecord,
    DelegationTokenRecord,
    FeatureLevelRecord,
    ProducerIdsRecord,
    RemoveAccessControlEntryRecord,
    RemoveDelegationTokenRecord,
    RemoveUserScramCredentialRecord,
    UserScramCredentialRecord,
)
from kafkaproto_pipeline.synthetic.topics import TopicLives
from kafkaproto_pipeline.synthetic.world import World
from kafkaproto_server.metadata.image.entries import (
    BROKER_RESOURCE,
    AccessControlEntry,
    DelegationToken,
    QuotaEntity,
    ScramCredential,
)
from kafkaproto_server.metadata.image.records import acl_record, delegation_token_record

_TEAMS = ("billing", "fraud", "growth", "logistics", "platform", "search", "warehouse")
_HOSTS = ("*", "*", "*", "10.0.3.7")
_BROKER_CONFIGS = {
    "log.cleaner.threads": ("1", "2", "4"),
    "num.io.threads": ("8", "16"),
    "log.retention.ms": ("604800000", "1209600000"),
}
MOST_ENTRIES = 400
"""ACLs, users or tokens: beyond it as many go as come."""
IDS_IN_A_BLOCK = 1000
TOKEN_MS = 86_400_000


class SettingChanges:
    """What administrators and clients change besides topics."""

    def __init__(self, world: World, topics: TopicLives) -> None:
        self._world = world
        self._cluster = world.cluster
        self._rng = world.rng
        self._topics = topics
        self._users = 0

    def configure(self) -> None:
        """Configs of a topic, or of a broker, or the cluster's default; at times one is removed."""
        if self._cluster.partitions and self._rng.random() < 0.8:
            self._world.append(self._topics.configs(self._rng.choice(self._cluster.partitions).topic))
            return
        broker = self._rng.choice(["", *map(str, sorted(self._cluster.brokers))])
        key = self._rng.choice(sorted(_BROKER_CONFIGS))
        values = self._cluster.configs.setdefault((BROKER_RESOURCE, broker), {})
        value = None if key in values and self._rng.random() < 0.4 else self._rng.choice(_BROKER_CONFIGS[key])
        if value is None:
            del values[key]
        else:
            values[key] = value
        if not values:
            del self._cluster.configs[BROKER_RESOURCE, broker]
        self._world.append(
            [ConfigRecord(resource_type=BROKER_RESOURCE, resource_name=broker, name=key, value=value)]
        )

    def alter_acls(self) -> None:
        """A team may read and write some topics, or may no longer."""
        records: list[Message] = []
        for _ in range(self._rng.choice((1, 1, 2, 2, 4, 30))):
            if self._cluster.acls and self._rng.random() < len(self._cluster.acls) / MOST_ENTRIES / 2:
                acl_id = self._rng.choice(list(self._cluster.acls))
                del self._cluster.acls[acl_id]
                records.append(RemoveAccessControlEntryRecord(id=acl_id))
                continue
            acl_id = self._rng.randbytes(16)
            acl = AccessControlEntry(
                resource_type=self._rng.choice((2, 2, 2, 3, 4, 5)),
                resource_name=f"{self._rng.choice(_TEAMS)}-",
                pattern_type=self._rng.choice((3, 4)),
                principal=f"User:{self._rng.choice(_TEAMS)}",
                host=self._rng.choice(_HOSTS),
                operation=self._rng.randint(3, 12),
                permission_type=self._rng.choice((2, 3, 3, 3)),
            )
            self._cluster.acls[acl_id] = acl
            records.append(acl_record(acl_id, acl))
        self._world.append(records)

    def alter_quotas(self) -> None:
        """A user or a client id gets a rate, another one, or none."""
        team = self._rng.choice((*_TEAMS, None))
        entity: QuotaEntity = self._rng.choice(
            ((("user", team),), (("client-id", team),), (("client-id", team), ("user", "batch")))
        )
        key = self._rng.choice(("producer_byte_rate", "consumer_byte_rate", "request_percentage"))
        values = self._cluster.quotas.setdefault(entity, {})
        remove = key in values and self._rng.random() < 0.3
        value = 0.0 if remove else float(self._rng.choice((50, 1_048_576, 10_485_760)))
        if remove:
            del values[key]
        else:
            values[key] = value
        if not values:
            del self._cluster.quotas[entity]
        parts = [ClientQuotaRecord.EntityData(entity_type=kind, entity_name=name) for kind, name in entity]
        self._world.append([ClientQuotaRecord(entity=parts, key=key, value=value, remove=remove)])

    def alter_credentials(self) -> None:
        """A user gets a password, a new one, or goes."""
        known = self._cluster.credentials
        if known and self._rng.random() < 0.5 * len(known) / MOST_ENTRIES + 0.2:
            mechanism, name = self._rng.choice(list(known))
            if self._rng.random() < 0.5:
                del known[mechanism, name]
                self._world.append([RemoveUserScramCredentialRecord(name=name, mechanism=mechanism)])
                return
        else:
            self._users += 1
            mechanism, name = self._rng.choice((1, 2)), f"{self._rng.choice(_TEAMS)}-{self._users}"
        length = 32 * mechanism
        credential = ScramCredential(
            salt=self._rng.randbytes(24),
            stored_key=self._rng.randbytes(length),
            server_key=self._rng.randbytes(length),
            iterations=self._rng.choice((4096, 8192)),
        )
        known[mechanism, name] = credential
        self._world.append(
            [
                UserScramCredentialRecord(
                    name=name,
                    mechanism=mechanism,
                    salt=credential.salt,
                    stored_key=credential.stored_key,
                    server_key=credential.server_key,
                    iterations=credential.iterations,
                )
            ]
        )

    def alter_tokens(self) -> None:
        """A delegation token is made, renewed or expires."""
        tokens = self._cluster.tokens
        now_ms = self._world.log.now_ms
        record: DelegationTokenRecord | RemoveDelegationTokenRecord
        if tokens and self._rng.random() < 0.2 + len(tokens) / MOST_ENTRIES:
            token_id = self._rng.choice(list(tokens))
            del tokens[token_id]
            record = RemoveDelegationTokenRecord(token_id=token_id)
        else:
            owner = f"User:{self._rng.choice(_TEAMS)}"
            token = DelegationToken(
                owner=owner,
                requester=owner,
                renewers=("User:scheduler",) if self._rng.random() < 0.5 else (),
                issue_timestamp_ms=now_ms,
                max_timestamp_ms=now_ms + 7 * TOKEN_MS,
                expiration_timestamp_ms=now_ms + TOKEN_MS,
            )
            token_id = self._rng.randbytes(12).hex()
            tokens[token_id] = token
            record = delegation_token_record(token_id, token)
        self._world.append([record])

    def hand_out_producer_ids(self) -> None:
        """A broker gets a block of producer ids."""
        active = self._cluster.active_brokers()
        if active:
            broker = self._cluster.brokers[self._rng.choice(active)]
            self._cluster.next_producer_id += IDS_IN_A_BLOCK
            self._world.append(
                [
                    ProducerIdsRecord(
                        broker_id=broker.broker_id,
                        broker_epoch=broker.epoch,
                        next_producer_id=self._cluster.next_producer_id,
                    )
                ]
            )

    def change_feature(self) -> None:
        """A feature goes down a level, or up again."""
        name = self._rng.choice(("group.version", "share.version", "streams.version"))
        level = 1 - self._cluster.features.get(name, 0)
        if level:
            self._cluster.features[name] = level
        else:
            del self._cluster.features[name]
        self._world.append([FeatureLevelRecord(name=name, feature_level=level)])
