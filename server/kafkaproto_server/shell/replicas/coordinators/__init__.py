"""The logs of coordinators: partitions of internal topics that this broker leads, written and loaded."""
