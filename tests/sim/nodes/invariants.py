"""The invariants of whole nodes by name."""

from __future__ import annotations

import enum


class NodeInvariant(enum.Enum):
    """Beside those of the cores' simulation."""

    NO_FAILURE = "no node ends, and no task of it logs an error, that nobody foresaw"
    WHOLE_RESPONSES = "responses are whole, in order, and each to a request"
    ONE_RESPONSE = "each request of a client that waits gets a response, or its connection ends"
    SHORT_TURNS = "no turn of the event loop takes more than 10,000,000 instructions of Python, some 50 ms"
    READY_AT_LAST = "in a healed cluster every node serves, and all show one image"
    ACKNOWLEDGES_AT_LAST = "a healed cluster carries out what it is asked"
    NOTHING_LEFT = (
        "when all clients are gone, nothing of theirs is left: connection, descriptor, memory, task, work"
    )
    STOPS_AT_LAST = "nodes that are told to stop do so in order, and close all files"
    NOTHING_FORGED = (
        "nothing of a stranger's is in the metadata, and no epoch is higher than elections made it"
    )
    UNFENCED_ONCE_READ = "a broker is unfenced only once it has read its own registration"
    INDEXES_ARE_TRUE = "the entries of an index are those of the batches in its segment"
    EPOCHS_ARE_TRUE = "the leader epochs that a replica knows are those of its batches"
    STALE_IS_REFUSED = "what a partition's leader asks for with an older partition epoch is refused"
    ACKNOWLEDGED_IS_REPLICATED = "a record acknowledged with acks=all is on the logs of min.insync.replicas"
    ACKNOWLEDGED_IS_KEPT = "a record acknowledged with acks=all is on all replicas at last"
    ODD_BATCHES_REFUSED = "batches that Apache Kafka refuses are refused"
    LATE_REQUESTS_REFUSED = "what comes too late, or to the wrong one, is refused, and with the right error"
    ONCE_AND_IN_ORDER = "a log has the batches of an idempotent producer once each, in their order"
    COMMITTED_STAYS = "what was below a high watermark is the same on all replicas, for ever, without gaps"
    ISR_HAS_THE_COMMITTED = "members of an ISR have all that is below their leader's high watermark"
    UNCOMMITTED_STAYS = "nothing is deleted that no replica calls committed"
    NEWEST_IS_KEPT = "compaction leaves the newest record of each key, also one that removes the key"
    HIGH_WATERMARK_IN_LOG = "a high watermark is not beyond the end of its replica's log"
    SETTLES_AT_LAST = (
        "in a healed cluster, partitions have leaders and whole ISRs, and producers and consumers get through"
    )
    ONE_OWNER = "a partition has at most one owner in a group, and only the owner commits for it"
    OFFSETS_STAY = "a committed offset that was acknowledged is not lost, and goes back for nobody"
    EXPECTED_ERRORS = "members and producers are told only what they are prepared for"
    ABORTED_IS_HIDDEN = "a reader of what is committed sees no record of another transaction"
    FENCED_WRITES_NOTHING = "what a producer asks for once another one has taken its place has no effect"
    EXACTLY_ONCE = "each record that is processed in transactions has one result, and transactions are whole"
    SHARED_ONCE = (
        "a record of a share group belongs to who acquired it last, and to nobody once it is acknowledged"
    )
    DEAD_LETTERS = (
        "there are dead letters of records that were rejected or delivered too often, and of no others"
    )
    SUBSCRIBED_IS_KEPT = "offsets of a topic are not deleted while the group is subscribed to it"
    EPOCHS_GROW = "the epochs of a streams group, and of its members, do not go back"
    ONCE_IN_A_PROCESS = "a process of a streams group has no task twice: no replica beside the active task"
    THREADS_ARE_FREE = "work on a disk never waits seconds for a thread"
    OFFLINE_LEAVES_ISRS = (
        "replicas in a directory that failed are in no ISR, and lead nothing, as soon as the controllers know"
    )
    PLACED_BEFORE_UNFENCED = (
        "a broker is unfenced only once the metadata has the directories of the replicas that it had"
    )
    MOVED_ONCE_RECORDED = "a replica is in another directory only once the metadata has had that directory"
    NOT_BEGUN_ANEW = "a replica that lies in a directory that is offline is not begun in another one"
    FAILED_IS_LEFT_ALONE = "a broker changes nothing in a directory that has failed"
    OFFLINE_IS_REPLACED = (
        "if one directory of a healed cluster fails, others lead instead; its broker stays in all other ISRs"
    )
    MOVES_AT_LAST = "in a healed cluster, replicas get to the directory that an administrator names"
    RECORDED_AT_LAST = (
        "in a healed cluster each replica is in one directory, which the metadata has, without a copy"
    )
