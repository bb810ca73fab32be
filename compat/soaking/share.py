"""A share group: two members that stay take each record once; some records they release first."""

from __future__ import annotations

from confluent_kafka import AcknowledgeType, ShareConsumer

from compat.soaking.load import Ground, Lines, Load, check_code
from compat.soaking.records import KEPT, PARTITIONS
from compat.soaking.tally import Once, read_number
from kafkaproto.messages import IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse

GROUP = "sharers"
GROUP_RESOURCE = 32
EVERY_RELEASED = 10
COMMIT_S = 60.0


class Sharing(Load):
    """Two members of a share group in one thread."""

    INTERVAL_S = 1.0
    STEPS_OF_A_MEMBER = 60
    """After so many steps the older member leaves, and another one comes."""

    def __init__(self, ground: Ground) -> None:
        """Has the group begin with the earliest records."""
        super().__init__("share group", ground)
        self.taken = Once(self.name, PARTITIONS)
        self.released = 0
        self._steps_done = 0
        self._first_time: list[set[int]] = [set() for _ in range(PARTITIONS)]
        """Numbers that were released and did not come again yet."""
        _begin_with_earliest(ground)
        self._members = [self._join(), self._join()]

    def _join(self) -> ShareConsumer:
        settings = {
            **self.ground.settings,
            "group.id": GROUP,
            "share.acknowledgement.mode": "explicit",
            "fetch.wait.max.ms": int(1_000 / self.ground.hurry),
            "fetch.min.bytes": 65_536,
        }
        member = ShareConsumer(settings)
        member.subscribe([KEPT])
        return member

    def step(self) -> None:
        """See Load."""
        self._steps_done += 1
        for member in self._members:
            self._take(member)
        if self._steps_done % self.STEPS_OF_A_MEMBER == 0:
            self._members.pop(0).close()
            self._members.append(self._join())

    def _take(self, member: ShareConsumer) -> None:
        accepted: list[tuple[int, int]] = []
        for message in member.poll(0.05):
            if (error := message.error()) is not None:
                # Nothing may stay without an acknowledgement.
                self.tries[error.name()] += 1
                self.last_words = error.str()
                continue
            partition, value = message.partition(), message.value()
            assert partition is not None
            assert isinstance(value, bytes)
            number = read_number(partition, value)
            if self._is_to_be_released(partition, number):
                member.acknowledge(message, AcknowledgeType.RELEASE)
                self.released += 1
            else:
                member.acknowledge(message, AcknowledgeType.ACCEPT)
                accepted.append((partition, number))
        if not accepted:
            return
        failed = {each.partition for each, error in member.commit_sync(COMMIT_S).items() if error is not None}
        for partition, number in accepted:
            if partition in failed:
                self.taken.take_unsure(partition, number)
            else:
                self.taken.take(partition, number)
                self.done += 1
        if failed:
            self.tries["acknowledgements refused"] += 1

    def _is_to_be_released(self, partition: int, number: int) -> bool:
        released = self._first_time[partition]
        if number in released:
            released.discard(number)
            return False
        if number % EVERY_RELEASED == 0 and number >= self.taken.ends[partition]:
            released.add(number)
            return True
        return False

    def close(self) -> None:
        """See Load."""
        for member in self._members:
            member.close()


def _begin_with_earliest(ground: Ground) -> None:
    request = IncrementalAlterConfigsRequest
    config = request.AlterableConfig(name="share.auto.offset.reset", config_operation=0, value="earliest")
    resource = request.AlterConfigsResource(
        resource_type=GROUP_RESOURCE, resource_name=GROUP, configs=[config]
    )
    lines = Lines(ground.brokers)
    try:
        response = lines.ask(ground.brokers[0], request(resources=[resource]))
    finally:
        lines.close()
    assert isinstance(response, IncrementalAlterConfigsResponse)
    check_code("IncrementalAlterConfigs", response.responses[0].error_code)
