"""What all rooms build on: ids and offsets, the ports of disk and clock, regexes, counters. It knows no metadata."""
