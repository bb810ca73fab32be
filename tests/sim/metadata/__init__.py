"""Controllers, brokers and administrators on top of the simulated quorum."""
