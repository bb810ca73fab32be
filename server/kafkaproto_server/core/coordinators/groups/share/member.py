"""One member of a share group: a value that is replaced when its records are replayed."""

from __future__ import annotations

import msgspec

from kafkaproto.messages import ShareGroupCurrentMemberAssignmentValue, ShareGroupMemberMetadataValue
from kafkaproto_server.requests.consumer_group_requests import NO_PARTITIONS, Partitions, partitions_of


class ShareGroupMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member. Equal members have equal records.

    It has no state: it takes what the target gives it at once, since nobody else has to give it up before.
    """

    member_id: str
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: tuple[str, ...] = ()
    """In ascending order."""
    epoch: int = 0
    previous_epoch: int = -1
    """A request may still have this epoch: the response with the current one may be lost."""
    assigned: Partitions = NO_PARTITIONS

    def at_epoch(self, epoch: int, assigned: Partitions) -> ShareGroupMember:
        """The member one step further."""
        return msgspec.structs.replace(self, epoch=epoch, previous_epoch=self.epoch, assigned=dict(assigned))

    def with_metadata(self, value: ShareGroupMemberMetadataValue) -> ShareGroupMember:
        """The member with what a record says of it."""
        return msgspec.structs.replace(
            self,
            rack_id=value.rack_id,
            client_id=value.client_id,
            client_host=value.client_host,
            subscribed_topic_names=tuple(sorted(set(value.subscribed_topic_names))),
        )

    def with_assignment(self, value: ShareGroupCurrentMemberAssignmentValue) -> ShareGroupMember:
        """The member with the assignment that a record gives it."""
        return msgspec.structs.replace(
            self,
            epoch=value.member_epoch,
            previous_epoch=value.previous_member_epoch,
            assigned=partitions_of([(each.topic_id, each.partitions) for each in value.assigned_partitions]),
        )

    def without_assignment(self) -> ShareGroupMember:
        """The member after a tombstone for its assignment: it is about to be removed."""
        return msgspec.structs.replace(self, epoch=-1, previous_epoch=-1, assigned=NO_PARTITIONS)
