"""Classes of values: as ``@dataclass(frozen=True)``, and made in less than half the time.

That nothing changes a value is for the type checker to see, which takes `value_class` for `dataclasses.dataclass`. At
run time a frozen dataclass sets each of its fields behind its own back, which takes longer than all else about it; and
every request makes a dozen values. They compare and hash by their fields, as those of frozen dataclasses do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["value_class"]

if TYPE_CHECKING:
    from dataclasses import dataclass as value_class
else:
    from dataclasses import dataclass

    def value_class(*, frozen, slots, kw_only):
        """Decorates the class of a value; all three are to be True, as the type checker wants to read it."""
        assert all((frozen, slots, kw_only)), "a class of values is all of that"
        return dataclass(slots=True, kw_only=True, unsafe_hash=True)
