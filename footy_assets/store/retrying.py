"""P4: a store's methods are tried again while the database is away."""

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from inspect import isfunction
from time import sleep
from typing import Any, TypeVar

from pymongo.errors import AutoReconnect, ServerSelectionTimeoutError

from footy_assets.retries import RETRIES

# A lost connection, a server that restarts, a primary that steps down.
CAN_HEAL = (AutoReconnect, ServerSelectionTimeoutError)

Store = TypeVar("Store")
Method = TypeVar("Method", bound=Callable[..., Any])

_policy_of: dict[Callable[..., Any], str] = {}
# A method that calls another one of its store is tried again as a whole.
_inside: ContextVar[bool] = ContextVar("inside a store's method", default=False)


def tried_as(policy: str) -> Callable[[Method], Method]:
    """Another policy for one method, which holds inside others too."""

    def mark(method: Method) -> Method:
        _policy_of[method] = policy
        return method

    return mark


def tried_again(store: type[Store]) -> type[Store]:
    """Every public method of a class, whose writes may all be repeated."""
    for name, method in list(vars(store).items()):
        # A context manager's work is done in the methods that it calls.
        if isfunction(method) and not name.startswith("_") and not _is_a_context(method):
            setattr(store, name, _persistent(method))
    return store


def _persistent(method: Callable[..., Any]) -> Callable[..., Any]:
    policy = RETRIES[_policy_of.get(method, "database")]

    @wraps(method)
    def persistent(*args: Any, **named: Any) -> Any:
        if _inside.get() and method not in _policy_of:
            return method(*args, **named)
        token = _inside.set(True)
        try:
            return policy.run(
                lambda: method(*args, **named),
                lambda error: isinstance(error, CAN_HEAL),
                lambda seconds: sleep(seconds),
            )
        finally:
            _inside.reset(token)

    return persistent


def _is_a_context(method: Callable[..., Any]) -> bool:
    return hasattr(method, "__wrapped__")
