"""The files of the metadata log itself: snapshots, quorum-state, bootstrap records, and the check at a start that they
agree."""
