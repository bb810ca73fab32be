"""How the other tasks of a connection tell its keeper that there is something to do, and why a connection ends.

The keeper alone ends the connection. So whoever finds a reason leaves it here, and the reason is logged once, in one
place.
"""

from __future__ import annotations

import trio


class PeerLeft(Exception):
    """The peer has disconnected, or transfers nothing: worth a log line, but any client may do that."""


class HungUp(PeerLeft):
    """The peer has disconnected. Every client does so one day, with requests under way if it is a consumer."""


class KeeperSignal:
    """The signal for the keeper of one connection. For any task of the event loop."""

    def __init__(self) -> None:
        self.fault: Exception | None = None
        """Why the connection ends; None while it goes on."""
        self._waits = trio.lowlevel.ParkingLot()

    def wake(self) -> None:
        """Have the keeper look for what there is to do."""
        self._waits.unpark_all()

    def fail(self, fault: Exception) -> None:
        """Have the keeper end the connection for this reason."""
        self.fault = fault
        self.wake()

    async def wait(self) -> None:
        """Return once there is something to do."""
        await self._waits.park()
