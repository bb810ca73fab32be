"""`dataclasses.replace` for images, several times as fast: every record that is replayed makes copies.

It copies slot by slot and calls neither ``__init__`` nor ``__post_init__``, which the images' classes do without.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

__all__ = ["copy_with"]

if TYPE_CHECKING:
    # So that the fields' names and types are checked.
    from dataclasses import replace as copy_with
else:

    def copy_with(value, /, **changes):
        """A copy of a frozen dataclass with slots, with some fields changed."""
        return _copier(type(value))(value, **changes)


_SAME = object()
"""Stands for a field that is not changed."""


@functools.cache
def _copier(class_: type) -> Callable[..., Any]:
    """The function that copies values of one class.

    It is written out field by field, as ``dataclasses`` does with ``__init__``: a loop takes twice as long. The
    class is frozen, so its slots are set behind its back, before anybody else has the copy.
    """
    names = [field.name for field in fields(class_)]
    lines = [
        f"def copy(value, /, *, {', '.join(f'{name}=_same' for name in names)}):",
        "    copied = _new(_class)",
        *(f"    _set_{name}(copied, value.{name} if {name} is _same else {name})" for name in names),
        "    return copied",
    ]
    scope: dict[str, Any] = {"_same": _SAME, "_new": object.__new__, "_class": class_}
    scope.update({f"_set_{name}": class_.__dict__[name].__set__ for name in names})
    exec("\n".join(lines), scope)
    copier: Callable[..., Any] = scope["copy"]
    return copier
