"""The state of one replica: index of the log, quorum state, requests under way, effects that are not durable yet."""
