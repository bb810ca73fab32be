"""Classes of values: as ``@dataclass(frozen=True)``, and made in less than half the time.

The type checker takes `value_class` for `dataclasses.dataclass`, and refuses code that changes a value. At run time
nobody looks. A frozen dataclass would, and it sets each of its own fields by ``object.__setattr__``, which takes longer
than all else about it; every request makes a dozen values. Values compare and hash by their fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["value_class"]

if TYPE_CHECKING:
    from dataclasses import dataclass as value_class
else:
    from dataclasses import dataclass

    def value_class(*, frozen, slots, kw_only):
        """Decorates the class of a value. All three have to be True; the type checker needs to see them."""
        assert all((frozen, slots, kw_only)), "a class of values is all of that"
        return dataclass(slots=True, kw_only=True, unsafe_hash=True)
