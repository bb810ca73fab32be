"""Replicas of partitions: pure rules of leaders and followers, without I/O and without a clock."""
