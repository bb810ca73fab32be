"""Authorized operations (KIP-430) where nobody asked for them; `server.apis.authorization` has the others."""

from __future__ import annotations

NOT_ASKED = -(2**31)
"""Stands in an answer for "the request did not ask"."""
