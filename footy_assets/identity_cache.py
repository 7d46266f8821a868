"""A cache for functions of large values."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def cached_by_identity(
    maxsize: int,
) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Like `lru_cache`, for positional arguments that are the same objects as before: to hash or
    compare them takes longer than the function. Whole numbers count by their value.

    When there are `maxsize` results, all are forgotten.
    """

    def decorate(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        kept: dict[tuple[int, ...], tuple[object, Result]] = {}

        @wraps(function)
        def cached(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
            key = tuple([one if type(one) is int else id(one) for one in arguments])
            if (found := kept.get(key)) is not None:
                return found[1]
            result = function(*arguments, **named)
            if len(kept) >= maxsize:
                kept.clear()
            # With the arguments: while they live, no other object has their identity.
            kept[key] = (arguments, result)
            return result

        return cached

    return decorate
