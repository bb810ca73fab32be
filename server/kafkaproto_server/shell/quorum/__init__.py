"""The task that drives the quorum's core and the controller's core, and what it reads and writes: disk, peers,
images."""
