"""Who sent a request, as far as work for it is concerned that takes long: its host takes turns with others, what may be
done for it is limited, and once it is gone nobody needs the rest.
"""

from __future__ import annotations

from kafkaproto.records.limits import most_bytes_of_request, most_units_of_request
from kafkaproto.records.survey import ReadingBudget


class Sender:
    """The sender of one request."""

    __slots__ = ("budget", "bytes_left", "host", "is_gone", "waits")

    def __init__(self, host: str = "", request_bytes: int = 0) -> None:
        """``request_bytes`` is the size of all records in the request."""
        self.host = host
        self.budget = ReadingBudget(most_units_of_request(request_bytes))
        """How many records and headers may still be read for the request."""
        self.bytes_left = most_bytes_of_request(request_bytes)
        """How many bytes its batches may still decompress to."""
        self.waits = False
        """Whether a check waits for a thread: then the others of the request do so as well, since only one thread at a
        time may count."""
        self.is_gone = False
        """Whether the connection has ended."""

    def leave(self) -> None:
        """The connection has ended."""
        self.is_gone = True
