"""The limits of the network layer, each with its unit and the reason for its value.

Limits that Kafka's configuration can set are defaults here; the code that builds a listener passes the configured
values.
"""

from __future__ import annotations

from typing import Final

MAX_REQUEST_SIZE_BYTES: Final = 100 * 1024 * 1024
"""Largest request frame accepted: Kafka's default of ``socket.request.max.bytes``."""

MAX_CONTROLLER_REQUEST_SIZE_BYTES: Final = 17 * 1024 * 1024
"""Largest request frame accepted on a controller listener, unless ``socket.request.max.bytes`` is less: the largest
client request that a broker forwards, in its envelope. Kafka accepts 100 MiB."""

MAX_CONNECTIONS: Final = 10_000
"""Connections of all listeners of a node together, if there are enough file descriptors. Kafka has no such limit and
runs out of descriptors instead; ten thousand idle connections take about 100 MB here."""

GUARANTEED_SHARE: Final = 0.25
"""The part of a node's connections that is reserved for its brokers' listeners; as much is reserved for its
controllers'."""

GIVES_WAY_AFTER_S: Final = 10.0
"""If there is no room, a connection that has made a request and then was idle for this long may be closed for another
one. Kafka's clients reconnect when they need to."""

FIRST_REQUEST_GRACE_S: Final = 0.1
"""A connection may be closed for another one only after it had this long to make its first request. A healthy client
makes it at once. A listener without room checks again at this interval."""

SECOND_CHANCES: Final = 64
"""The number of connections in use that the search for an idle one passes over."""

LISTEN_BACKLOG: Final = 128
"""Connections that the kernel queues for us, unless ``socket.listen.backlog.size`` is set. Kafka's default of 50 is too
few when many brokers reconnect."""

IDLE_TIMEOUT_MS: Final = 600_000
"""A connection that was idle for this long is closed: Kafka's default of ``connections.max.idle.ms``."""

DRAIN_TIMEOUT_MS: Final = 5_000
"""How long a stopping listener waits for requests in progress before it cuts them off."""

HANG_UP_GRACE_MS: Final = 5_000
"""How long a request in progress continues after its peer stopped sending. That is long enough to respond to a peer
that only half closed its connection, and short enough that a peer which left does not hold a long poll for hours."""

MAX_QUEUED_REQUEST_BYTES: Final = 128 * 1024 * 1024
"""Limit for the bytes that all connections together hold of incomplete and unanswered requests, if
``queued.max.request.bytes`` is not set; Kafka then has no limit. One request of the largest size always fits."""

UNCOUNTED_BYTES: Final = 8192
"""What each connection may hold in addition: nearly every request is shorter."""

MEMORY_WAIT_S: Final = 1.0
"""How long requests may occupy all the memory for requests before some incomplete ones are dropped."""
CLOSED_AGAIN_S: Final = 3 * MEMORY_WAIT_S
"""If connections have to be closed for that again within this time, closing few of them did not help."""

CLOSED_AT_ONCE: Final = 32
"""The number of connections that one pass of the loop closes for that: closing one takes up to 0.4 ms."""

MAX_UNREAD_RESPONSE_BYTES: Final = 128 * 1024 * 1024
"""Limit for the bytes of responses that peers have not read, for all brokers' listeners together, and as much for all
controllers' listeners: as much as requests may take by default. It suffices to send the largest Fetch response of the
metadata log, 1 MiB, to a hundred nodes at the same moment. One response always fits."""

SEND_TIMEOUT_MS: Final = 30_000
"""A peer that reads nothing of its response for this long is disconnected. By then a Kafka client has given up its
request: this is the default of its ``request.timeout.ms``."""

MAX_ARRIVALS: Final = 16
"""The number of chunks of a connection whose arrival time is kept. If there are more, the last one stands for all that
follow. So a request may seem to have arrived later than it did, but a peer that sends single bytes does not take memory
for each."""

RECEIVE_CHUNK_BYTES: Final = 262_144
"""How much is read from the kernel at a time: a whole request of nearly every kind."""

READ_AHEAD_BYTES: Final = 65_536
"""Bytes of further requests that are read while one is in progress. Beyond that the peer finds the socket full."""

SEND_CHUNK_BYTES: Final = 262_144
"""Bytes written to a stream at a time. Other tasks run between two such writes."""

SEND_BUFFER_BYTES: Final = 400_000
"""Size of a socket's send buffer unless ``socket.send.buffer.bytes`` is set. In Kafka it is 102,400, with which one
consumer alone reads a third slower; without a limit, what twenty consumers read takes twice the system's time."""

UNSENT_BYTES: Final = 262_144
"""How many of them may wait there for the peer's window: the system sends them while this process does something else,
or wakes it less often."""

ACCEPT_BACKOFF_MS: Final = 100
"""Pause of the accept loop if the process is out of file descriptors or memory: first another connection has to
close."""

CONNECT_TIMEOUT_MS: Final = 10_000
"""Timeout for establishing a connection to another node: Kafka's default of ``socket.connection.setup.timeout.ms``."""
