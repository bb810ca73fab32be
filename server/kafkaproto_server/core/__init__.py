"""The cores: what a node decides, without I/O, clock, randomness or event loop.

Each core is told what happened and says what is to be done; `shell` does it. No core reaches for another one: what two
of them need lies in `requests`, `metadata` and `base`.
"""
