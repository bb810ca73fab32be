"""Death by proof: a broker whose process is provably gone is fenced before its session is over.

The node has the proof (`node.quorum.broker_probe`); here it is weighed against what the controller knows. It is void

- where the broker was heard of after the moment from which the proof counts: whoever sends heartbeats lives
  (`is_refuted`, which is asked before the proof is acted on and while it is);
- where another incarnation has registered meanwhile, or none is registered: it is not the dead one's place any more;
- where the broker is fenced: it serves nobody, and need not even listen yet, so that refusing says nothing about it.

What is written is what a missed session writes, which is made here as well.
"""

from __future__ import annotations

from immutables import Map

from kafkaproto.message import Message
from kafkaproto_server.controller.brokers.heartbeats import fencing_records
from kafkaproto_server.controller.values.command import Decision, Result
from kafkaproto_server.controller.values.effects import Report, ReportDeath, ReportSilence
from kafkaproto_server.controller.values.events import BrokerFailed
from kafkaproto_server.controller.values.sessions import BrokerSession, SessionChange
from kafkaproto_server.controller.values.settings import InheritedConfigs, TopicSettings
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.types import Steps


def records_of_death(
    image: ClusterImage, inherited: InheritedConfigs, death: BrokerFailed
) -> Steps[list[Message]] | None:
    """What fences the dead broker; None where the proof is void. The broker's session has to end with it."""
    broker = image.brokers.get(death.broker_id)
    if broker is None or broker.fenced or broker.epoch != death.broker_epoch:
        return None
    return fencing_records(image, TopicSettings(image, inherited), broker)


def is_refuted(sessions: Map[int, BrokerSession], death: BrokerFailed) -> bool:
    """Whether the broker was heard of after the moment from which the proof counts, or has no session to end."""
    session = sessions.get(death.broker_id)
    return session is None or session.last_contact_ms > death.silent_since_ms


def fence_failed_broker(
    image: ClusterImage, inherited: InheritedConfigs, death: BrokerFailed
) -> Steps[Result] | None:
    """What fences the dead broker and ends its session; None where the proof is void."""
    records = records_of_death(image, inherited, death)
    report = ReportDeath(broker_id=death.broker_id, broker_epoch=death.broker_epoch, proof=death.proof)
    return None if records is None else _end_of_broker(death.broker_id, records, report)


def fence_silent_broker(
    image: ClusterImage, inherited: InheritedConfigs, broker_id: int, session: BrokerSession, now_ms: int
) -> Decision:
    """What fences a broker whose session is over, and ends that."""
    broker = image.brokers[broker_id]
    assert broker.epoch == session.broker_epoch, f"broker {broker_id} has an old session"
    if broker.fenced:
        return Result(session=SessionChange(broker_id=broker_id, session=None))
    silent_ms = now_ms - session.last_contact_ms
    report = ReportSilence(broker_id=broker_id, broker_epoch=broker.epoch, silent_ms=silent_ms)
    records = fencing_records(image, TopicSettings(image, inherited), broker)
    return _end_of_broker(broker_id, records, report)


def _end_of_broker(broker_id: int, records: Steps[list[Message]], report: Report) -> Steps[Result]:
    found = yield from records
    return Result(
        records=found,
        atomic=False,
        session=SessionChange(broker_id=broker_id, session=None),
        reports=(report,),
    )
