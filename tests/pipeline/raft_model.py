"""A small model of Raft, as KRaft does it, for what has to hold of any history."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from kafkaproto_pipeline.sources.committed import Lineage


@dataclass
class Node:
    """A voter: its log as the epoch of each record, and what it promised."""

    log: list[int] = field(default_factory=list)
    epoch: int = 0
    leads: bool = False

    @property
    def last(self) -> tuple[int, int]:
        return (self.log[-1] if self.log else -1, len(self.log))


class Quorum:
    """Steps of a quorum in any order: elections with any set of votes, appends, fetches, truncations."""

    def __init__(self, size: int, random: Random) -> None:
        self.random = random
        self.nodes = [Node() for _ in range(size)]
        self.elected: list[Node] = []

    def step(self) -> None:
        node = self.random.choice(self.nodes)
        kind = self.random.random()
        if kind < 0.15:
            self.campaign(node)
        elif kind < 0.25:
            # One that waits for votes in vain is in a later epoch all the same.
            node.epoch, node.leads = node.epoch + 1, False
        elif node.leads and kind < 0.5:
            node.log.append(node.epoch)
        else:
            self.fetch(node, self.random.choice(self.nodes))

    def campaign(self, node: Node) -> None:
        node.epoch, node.leads = node.epoch + 1, False
        voters = self.random.sample(self.nodes, self.random.randint(1, len(self.nodes)))
        votes = 1
        for voter in voters:
            if voter is not node and voter.epoch < node.epoch:
                voter.epoch, voter.leads = node.epoch, False
                votes += node.last >= voter.last
        if votes > len(self.nodes) // 2:
            node.leads = True
            node.log.append(node.epoch)
            self.elected.append(node)

    def fetch(self, node: Node, leader: Node) -> None:
        """As in KRaft: cutting off and appending are steps of their own, and some records come at a time."""
        if node is leader or not leader.leads or leader.epoch < node.epoch:
            return
        if leader.epoch > node.epoch:
            node.epoch, node.leads = leader.epoch, False
        common = lineage(node.log).common_end(lineage(leader.log))
        if common < len(node.log):
            del node.log[common:]
            return
        node.log += leader.log[len(node.log) : len(node.log) + self.random.randint(1, 3)]


def lineage(log: list[int], start: int = 0) -> Lineage:
    """That of a log of epochs, of which the records below ``start`` were deleted."""
    epochs: list[tuple[int, int]] = []
    for offset, epoch in enumerate(log):
        if offset >= start and (not epochs or epochs[-1][0] != epoch):
            epochs.append((epoch, offset))
    return Lineage(start=start, end=len(log), epochs=tuple(epochs))
