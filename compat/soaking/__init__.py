"""A cluster under everything at once, for hours: loads at a steady pace, and what the nodes hold meanwhile."""
