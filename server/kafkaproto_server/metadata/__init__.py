"""The metadata of a cluster at one offset, and what follows from it: who may do what, which features, which names."""
