"""The task that drives the quorum's core and the controller's, and what it reads and writes: disk, peers, images."""
