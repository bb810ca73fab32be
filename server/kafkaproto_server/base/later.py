"""What is not there yet: work in steps, a response that comes later, and parts that come one by one.

Nothing here knows how to wait. Cores and handlers make these values; the shell takes the steps between other work, and
sends a response once it is decided.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from types import GeneratorType
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

T = TypeVar("T")

Steps: TypeAlias = Generator[Any, None, T]
"""Long work in small steps. The generator yields once for each element that it has processed (tens of microseconds of
work) and returns its result at the end. The caller decides how many steps it takes before other work has its turn. The
caller may also drop the generator between two steps: until it has returned, it has changed nothing.

If the next step is to make much at once, it yields how many bytes that will be. So the caller can wait for memory
(`shell.serving.making_room`)."""

if TYPE_CHECKING:
    StepsType = Generator
else:
    StepsType = GeneratorType
"""For ``isinstance`` checks on `Steps`. A check against the abstract class takes several times as long, and each
request needs more than one."""


def run_to_end(steps: Generator[object, None, T]) -> T:
    """Take all steps at once and return their result; raises what they raise."""
    # Most work is short and has no step between its beginning and its end.
    try:
        next(steps)
    except StopIteration as stop:
        result: T = stop.value
        return result
    results: list[T] = []

    def all_steps() -> Iterator[object]:
        results.append((yield from steps))

    deque(all_steps(), maxlen=0)
    return results[0]


Failed = Callable[[Exception], None]
"""A callback that takes the error because of which there will be no response."""


def _raise(error: Exception) -> None:
    raise error


class Deferred(Generic[T]):
    """A response that is decided later. It does not say how to wait for it.

    The pure packages return it and resolve it; the shell waits for it with the means of its event loop. If the code
    that makes the response raises an unforeseen error, the response fails with that error: the callbacks that wait get
    the error, and the caller of `resolve` continues. Deciding twice, either way, is a bug of this server and asserts.
    """

    __slots__ = ("_abandoned", "_callbacks", "_done", "_error", "_value")

    def __init__(self, abandoned: Callable[[], None] | None = None) -> None:
        """``abandoned`` is called if nobody needs the response any more; then nothing is decided."""
        self._abandoned = abandoned
        self._done = False
        self._value: T | None = None
        self._error: Exception | None = None
        self._callbacks: list[tuple[Callable[[T], None], Failed]] = []

    def resolve(self, value: T) -> None:
        """Decide the response and run the callbacks that wait for it, in the order they came."""
        self._value = value
        self._decide()

    def fail(self, error: Exception) -> None:
        """Decide that there will be no response. For a callback added without ``failed``, the error is raised here."""
        self._error = error
        self._decide()

    def on_done(self, callback: Callable[[T], None], failed: Failed = _raise) -> None:
        """Call ``callback(value)`` once the response is decided, or ``failed(error)`` once it has failed; at once if
        that has happened already."""
        self._callbacks.append((callback, failed))
        if self._done:
            self._run_callbacks()

    @property
    def is_decided(self) -> bool:
        """Whether the callbacks have been called."""
        return self._done

    @property
    def can_be_abandoned(self) -> bool:
        return self._abandoned is not None and not self._done

    def abandon(self) -> None:
        """Nobody needs the response any more: what waits is freed, and no callback is called."""
        assert self._abandoned is not None, "only some replies can be abandoned"
        abandoned, self._abandoned = self._abandoned, None
        self._callbacks.clear()
        abandoned()

    def then(self, change: Callable[[T], T]) -> Deferred[T]:
        """The response with its value changed by ``change``. It fails if this one fails or if ``change`` raises."""
        later: Deferred[T] = Deferred()

        def take(value: T) -> None:
            try:
                changed = change(value)
            except Exception as error:
                later.fail(error)
            else:
                later.resolve(changed)

        self.on_done(take, later.fail)
        return later

    def _decide(self) -> None:
        assert not self._done, "a deferred reply was decided twice"
        self._done = True
        # It may refer to what has made the response, which refers to this: a cycle for each request.
        self._abandoned = None
        self._run_callbacks()

    def _run_callbacks(self) -> None:
        callbacks, self._callbacks = self._callbacks, []
        for callback, failed in callbacks:
            if self._error is not None:
                failed(self._error)
            else:
                callback(self._value)  # type: ignore[arg-type]


class Gather:
    """Waits for parts that are asked for one after the other, and calls a function once all of them have come.

    A part may come at once, before the next one is asked for. So nothing is complete before `all_asked`.
    """

    __slots__ = ("_complete", "_missing")

    def __init__(self, complete: Callable[[], None]) -> None:
        self._complete = complete
        # One more until all are asked for.
        self._missing = 1

    def asked(self) -> None:
        """One more part is asked for."""
        assert self._missing > 0, "all parts were asked for"
        self._missing += 1

    def came(self) -> None:
        """A part that was asked for has come."""
        self._missing -= 1
        assert self._missing >= 0, "more parts came than were asked for"
        if not self._missing:
            complete = self._complete
            # It may refer to what refers to this: a cycle for each request.
            del self._complete
            complete()

    def all_asked(self) -> None:
        """No more parts are asked for. If all of them have come, the function is called now."""
        self.came()
