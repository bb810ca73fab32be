"""Records in the simulation of whole nodes: topics, producers, consumers, and what must hold of them."""
