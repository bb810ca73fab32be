"""The logs of the replicas of this broker, and the jobs on its disks: opened, synced, compacted, moved, removed."""
