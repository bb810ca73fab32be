"""Groups and transactions in the simulation of whole nodes: members, transactional workers, readers of what is
committed, and what must hold of them."""
