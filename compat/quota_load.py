"""Load for a quorum of controllers: client quotas set one after the other, with knowledge of what was acknowledged.

No broker is needed for it. Every user has a quota that is set again and again, to ever new values; after the end the
log must hold the last value that was acknowledged, or one that came later and whose fate nobody was told.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path

from compat.agreement import rows_of
from compat.process import wait_until
from compat.quorum import POLL_INTERVAL_S, connect
from kafkaproto.client import Client
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AlterClientQuotasRequest, AlterClientQuotasResponse

USERS = 20
KEY = "producer_byte_rate"
WAIT_S = 90.0
PAUSE_S = 0.01
"""After a write: the nodes are to be in a quorum's life, not busy with nothing but writes."""
_RETRIED = (ErrorCode.NOT_CONTROLLER, ErrorCode.REQUEST_TIMED_OUT, ErrorCode.UNKNOWN_SERVER_ERROR)


class LostWriteError(Exception):
    """What was acknowledged is not in the log; the text says whose and what."""


class Accounts:
    """What may be held in the end: by user, the last acknowledged value, or one sent later with unknown outcome."""

    def __init__(self) -> None:
        """Nothing was sent."""
        self._acknowledged: dict[str, int] = {}
        self._later: dict[str, set[int]] = {}

    def sent(self, user: str, value: int) -> None:
        """The value may come to be held from now on."""
        self._later.setdefault(user, set()).add(value)

    def acknowledged(self, user: str, value: int) -> None:
        """The value is held from now on, whatever was sent before it."""
        self._acknowledged[user] = value
        del self._later[user]

    def wrong(self, held: Mapping[str, float]) -> list[str]:
        """Whose value is not one of those that may be held."""
        return [
            f"{user}: acknowledged {value}, held {held.get(user)}"
            for user, value in self._acknowledged.items()
            if held.get(user) not in {value, *self._later.get(user, ())}
        ]


class QuotaLoad:
    """Writes from one thread until it is told to stop."""

    def __init__(self, servers: Sequence[str]) -> None:
        """`servers`, HOST:PORT each, are the controllers; whoever leads gets the requests."""
        self._servers = list(servers)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._client: Client | None = None
        self._accounts = Accounts()
        self._failure: BaseException | None = None
        self.writes = 0
        """Acknowledged so far."""
        self.longest_gap_s = 0.0
        """The longest time between two acknowledged writes."""

    def __enter__(self) -> QuotaLoad:
        self._thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends after the write that is under way. Raises what made the thread fail."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._failure is not None:
            raise self._failure

    def wait_for_more(self, count: int) -> None:
        """Until that many more writes were acknowledged; raises WaitedTooLongError."""
        target = self.writes + count
        wait_until(lambda: self.writes >= target, WAIT_S, f"{count} writes to be acknowledged")

    def take_gap_s(self) -> float:
        """The longest time between two acknowledged writes since it was last asked for."""
        gap, self.longest_gap_s = self.longest_gap_s, 0.0
        return gap

    def check(self, directories: Sequence[Path]) -> None:
        """Raises LostWriteError unless the log in these directories holds what was acknowledged."""
        held: dict[str, float] = {}
        for row in rows_of(directories, view="ClientQuotaRecord", asOf="latest"):
            (entity,) = row["entity"]
            held[entity["entityName"]] = row["value"]
        wrong = self._accounts.wrong(held)
        if wrong:
            raise LostWriteError("\n".join(wrong))

    def _run(self) -> None:
        try:
            last = time.monotonic()
            for value in count(1):
                if self._stop.is_set():
                    break
                user = f"user-{value % USERS}"
                if not self._write(user, value):
                    time.sleep(POLL_INTERVAL_S)
                    continue
                self._accounts.acknowledged(user, value)
                self.writes += 1
                time.sleep(PAUSE_S)
                now = time.monotonic()
                self.longest_gap_s, last = max(self.longest_gap_s, now - last), now
        except BaseException as error:
            self._failure = error
        finally:
            self._hang_up()

    def _write(self, user: str, value: int) -> bool:
        """Whether the write was acknowledged."""
        entry = AlterClientQuotasRequest.EntryData(
            entity=[AlterClientQuotasRequest.EntityData(entity_type="user", entity_name=user)],
            ops=[AlterClientQuotasRequest.OpData(key=KEY, value=float(value), remove=False)],
        )
        try:
            if self._client is None:
                self._client = connect(self._servers[0])
        except OSError:
            self._elsewhere()
            return False
        self._accounts.sent(user, value)
        try:
            response = self._client.send(AlterClientQuotasRequest(entries=[entry]))
        except OSError:
            self._elsewhere()
            return False
        assert isinstance(response, AlterClientQuotasResponse)
        code = response.entries[0].error_code
        if code in _RETRIED:
            self._elsewhere()
            return False
        assert code == ErrorCode.NONE, response
        return True

    def _elsewhere(self) -> None:
        self._hang_up()
        self._servers.append(self._servers.pop(0))

    def _hang_up(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None
