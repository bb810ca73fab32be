"""`dataclasses.replace`, several times as fast: every record that is replayed makes copies of images, and every
heartbeat one of a session.

It copies slot by slot and calls neither ``__init__`` nor ``__post_init__``, which the classes of images do without. It
is for classes that inherit no fields.
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
        """A copy of a dataclass with slots, with some fields changed."""
        return _copier(type(value))(value, **changes)


_SAME = object()
"""Stands for a field that is not changed."""


@functools.cache
def _copier(class_: type) -> Callable[..., Any]:
    """The function that copies values of one class.

    It is written out field by field, as ``dataclasses`` does with ``__init__``: a loop takes twice as long. The slots
    are set directly, before anybody else has the copy: the class may be frozen.
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
