"""Fences failed brokers: a broker whose process is provably gone is fenced before its session is over.

The node finds the proof (`shell.quorum.broker_probe`); this module checks it against what the controller knows. The
proof is void

- if the broker sent a heartbeat after the moment from which the proof counts, for then it lives (`is_refuted`, checked
  before the fencing begins and during it);
- if another incarnation has registered meanwhile, or none is registered: the proof was about the old one;
- if the broker is fenced: it serves nobody and need not listen yet, so a refused connection proves nothing.

The records are the same as those for a broker whose session has ended; this module makes these, too.

Ours alone: Apache Kafka's controllers wait for the end of the session (``BrokerHeartbeatManager``).
"""

from __future__ import annotations

from immutables import Map

from kafkaproto.message import Message
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.brokers.heartbeats import fencing_records
from kafkaproto_server.core.controller.values.command import CommandResult, Decision
from kafkaproto_server.core.controller.values.effects import Report, ReportDeath, ReportSilence
from kafkaproto_server.core.controller.values.events import BrokerFailed
from kafkaproto_server.core.controller.values.sessions import BrokerSession, SessionChange
from kafkaproto_server.core.controller.values.topic_configs import InheritedConfigs, TopicConfigs
from kafkaproto_server.metadata.image.image import ClusterImage


def records_of_death(
    image: ClusterImage, inherited: InheritedConfigs, death: BrokerFailed
) -> Steps[list[Message]] | None:
    """The records that fence the failed broker; None if the proof is void. The broker's session ends with them."""
    broker = image.brokers.get(death.broker_id)
    # The epoch decides: a refused connection to the old process says nothing about a new
    # incarnation.
    if broker is None or broker.fenced or broker.epoch != death.broker_epoch:
        return None
    return fencing_records(image, TopicConfigs(image, inherited), broker)


def is_refuted(sessions: Map[int, BrokerSession], death: BrokerFailed) -> bool:
    """Whether the broker sent a heartbeat after the moment from which the proof counts, or has no session to end."""
    session = sessions.get(death.broker_id)
    # Every unfenced broker has a session. A broker without one is fenced already, and the proof is
    # pointless.
    return session is None or session.last_contact_ms > death.silent_since_ms


def fence_failed_broker(
    image: ClusterImage, inherited: InheritedConfigs, death: BrokerFailed
) -> Steps[CommandResult] | None:
    """The result that fences the failed broker and ends its session; None if the proof is void."""
    records = records_of_death(image, inherited, death)
    report = ReportDeath(broker_id=death.broker_id, broker_epoch=death.broker_epoch, proof=death.proof)
    return None if records is None else _end_of_broker(death.broker_id, records, report)


def fence_silent_broker(
    image: ClusterImage, inherited: InheritedConfigs, broker_id: int, session: BrokerSession, now_ms: int
) -> Decision:
    """The result that fences a broker whose session is over, and ends the session."""
    broker = image.brokers[broker_id]
    assert broker.epoch == session.broker_epoch, f"broker {broker_id} has an old session"
    # A fenced broker whose heartbeats stop leads nothing. Only its session has to go. Kafka writes
    # another fencing record here.
    if broker.fenced:
        return CommandResult(session=SessionChange(broker_id=broker_id, session=None))
    assert now_ms >= session.last_contact_ms, "a contact is in the past"
    silent_ms = now_ms - session.last_contact_ms
    # For the log: without it an operator sees that leaders moved, and not why.
    report = ReportSilence(broker_id=broker_id, broker_epoch=broker.epoch, silent_ms=silent_ms)
    records = fencing_records(image, TopicConfigs(image, inherited), broker)
    return _end_of_broker(broker_id, records, report)


def _end_of_broker(broker_id: int, records: Steps[list[Message]], report: Report) -> Steps[CommandResult]:
    found = yield from records
    return CommandResult(
        records=found,
        # A broker may be in the ISR of more partitions than one batch holds records. Its fencing
        # must not fail for that.
        atomic=False,
        session=SessionChange(broker_id=broker_id, session=None),
        reports=(report,),
    )
