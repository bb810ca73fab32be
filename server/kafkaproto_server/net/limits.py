"""The limits of the network room: each a number with its unit and why it has that value.

Those that Kafka lets an operator set are defaults here; who builds a listener passes what is configured.
"""

from __future__ import annotations

from typing import Final

MAX_REQUEST_SIZE_BYTES: Final = 100 * 1024 * 1024
"""Largest request frame accepted: Kafka's default of ``socket.request.max.bytes``."""

MAX_CONTROLLER_REQUEST_SIZE_BYTES: Final = 17 * 1024 * 1024
"""Largest request frame accepted on a controller listener, unless ``socket.request.max.bytes`` is less: the largest
request of a client that a broker passes on, in its envelope. Kafka takes 100 MiB."""

MAX_CONNECTIONS: Final = 10_000
"""Connections of all listeners of a node together, if there are file descriptors for so many. Kafka has no such bound
and runs out of descriptors instead; ten thousand idle connections take about 100 MB here."""

GUARANTEED_SHARE: Final = 0.25
"""Part of a node's connections that is kept for its brokers' listeners, and as much for its controllers'."""

GIVES_WAY_AFTER_S: Final = 10.0
"""A connection that has made a request, and then was idle for so long, may be closed for another if there is no room.
Kafka's clients connect again when they need to."""

FIRST_REQUEST_GRACE_S: Final = 0.1
"""A connection may be closed for another only after it had so long to make its first request. A client that is well
makes it at once; as often as this somebody for whom there is no room looks again."""

SECOND_CHANCES: Final = 64
"""Connections in use that are passed over in the search for an idle one."""

LISTEN_BACKLOG: Final = 128
"""Connections that the kernel keeps waiting for us; Kafka's default of 50 is short when many brokers
reconnect."""

IDLE_TIMEOUT_MS: Final = 600_000
"""A connection on which nothing moved for so long is closed: Kafka's default of
``connections.max.idle.ms``."""

DRAIN_TIMEOUT_MS: Final = 5_000
"""How long a stopping listener waits for requests in progress before it cuts them off."""

HANG_UP_GRACE_MS: Final = 5_000
"""How long a request in progress goes on after its peer stopped sending: long enough to answer one that only
half closed, short enough that a peer which left does not hold a long poll of hours."""

MAX_QUEUED_REQUEST_BYTES: Final = 128 * 1024 * 1024
"""Bytes that all connections together may hold of requests that are incomplete or not answered, if
``queued.max.request.bytes`` does not say: Kafka has no limit then. One request of the largest size always fits."""

UNCOUNTED_BYTES: Final = 8192
"""What each connection may hold beside that: nearly every request is shorter."""

MEMORY_WAIT_S: Final = 1.0
"""How long requests may take all the memory that there is for them, before some that are incomplete have to go."""

CLOSED_AT_ONCE: Final = 32
"""Connections that are closed for that in a pass of the loop: to close one takes up to 0.4 ms."""

MAX_UNREAD_RESPONSE_BYTES: Final = 128 * 1024 * 1024
"""Bytes that the responses may take which peers have not read, for all brokers' listeners together, and as much for all
controllers' listeners: as much as requests may take by default. It is enough to send a hundred nodes the most that a
Fetch of the metadata gets, 1 MiB, at the same moment. One response always fits."""

SEND_TIMEOUT_MS: Final = 30_000
"""A peer that takes nothing of its response for so long is closed. By then a client of Kafka has given its request up:
this is the default of its ``request.timeout.ms``."""

MAX_ARRIVALS: Final = 16
"""Chunks of which a connection remembers when they came. If there are more, the last one stands for all that follow: a
request may seem to have come later than it did, and a peer that sends single bytes takes no memory for each."""

RECEIVE_CHUNK_BYTES: Final = 65_536
"""Asked of the kernel at a time: holds a whole request of nearly every kind."""

READ_AHEAD_BYTES: Final = 65_536
"""Bytes of further requests taken in while one is in progress; beyond that the peer feels the full socket."""

SEND_CHUNK_BYTES: Final = 262_144
"""Bytes handed to a stream at a time: others get their turn between two of them."""

ACCEPT_BACKOFF_MS: Final = 100
"""Pause of the accept loop when the process is out of file descriptors or memory: others must close first."""

CONNECT_TIMEOUT_MS: Final = 10_000
"""For a connection to another node to be established: Kafka's default of
``socket.connection.setup.timeout.ms``."""
