"""Who sent a request, as far as work for it is concerned that takes long: its host takes turns with others, what may be
done for it is limited, and once it is gone nobody needs the rest.
"""

from __future__ import annotations

from typing import Final

from kafkaproto.records.limits import most_bytes_of_request, most_units_of_request
from kafkaproto.records.survey import ReadingBudget

MAX_RECORD_ERRORS: Final = 1000
"""Most records that a response names as refused. A few bytes can claim or be a thousand records, a request may have
thousands of batches, and each record that is named adds a text."""


class Sender:
    """The sender of one request."""

    __slots__ = ("budget", "bytes_left", "host", "is_gone", "record_errors_left", "waits")

    def __init__(self, host: str = "", request_bytes: int = 0) -> None:
        """``request_bytes`` is the size of all records in the request."""
        self.host = host
        self.budget = ReadingBudget(most_units_of_request(request_bytes))
        """How many records and headers may still be read for the request."""
        self.bytes_left = most_bytes_of_request(request_bytes)
        """How many bytes its batches may still decompress to."""
        self.record_errors_left = MAX_RECORD_ERRORS
        """How many refused records the response may still name. Each refused batch may name one in any case."""
        self.waits = False
        """Whether a check waits for a thread: then the others of the request do so as well, since only one thread at a
        time may count."""
        self.is_gone = False
        """Whether the connection has ended."""

    @property
    def most_record_errors(self) -> int:
        """How many records of the next batch may be named."""
        return max(1, self.record_errors_left)

    def leave(self) -> None:
        self.is_gone = True
