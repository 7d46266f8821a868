"""P4: a store's methods are retried while the database is not reachable."""

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from inspect import isfunction
from time import sleep
from typing import Any, TypeVar

from pymongo.errors import AutoReconnect, ServerSelectionTimeoutError

from footy_assets.retries import RETRIES

# A lost connection, a server that restarts, a primary that steps down.
DISCONNECTS = (AutoReconnect, ServerSelectionTimeoutError)

Store = TypeVar("Store")
Method = TypeVar("Method", bound=Callable[..., Any])

_policy_of: dict[Callable[..., Any], str] = {}
# A method that calls another one of its store is retried as a whole.
_inside: ContextVar[bool] = ContextVar("inside a store's method", default=False)


def is_disconnect(error: BaseException) -> bool:
    return isinstance(error, DISCONNECTS)


def retry_with(policy: str) -> Callable[[Method], Method]:
    """Use another retry policy for this method, also when another method calls it."""

    def mark(method: Method) -> Method:
        _policy_of[method] = policy
        return method

    return mark


def retry_on_disconnect(store: type[Store]) -> type[Store]:
    """Retry every public method of a class.

    A write whose acknowledgement is lost is repeated: it must be repeatable, unless it adds to
    metrics, which a repetition counts twice.
    """
    for name, method in list(vars(store).items()):
        # A context manager is not retried; the methods that it calls are.
        if isfunction(method) and not name.startswith("_") and not _is_context_manager(method):
            setattr(store, name, _retried(method))
    return store


def _retried(method: Callable[..., Any]) -> Callable[..., Any]:
    policy = RETRIES[_policy_of.get(method, "database")]
    # Made once: a poll calls many methods.
    retrying = policy.retrying(lambda seconds: sleep(seconds), is_disconnect)

    @wraps(method)
    def retried(*args: Any, **named: Any) -> Any:
        if _inside.get() and method not in _policy_of:
            return method(*args, **named)
        token = _inside.set(True)
        try:
            return retrying(method, *args, **named)
        finally:
            _inside.reset(token)

    return retried


def _is_context_manager(method: Callable[..., Any]) -> bool:
    return hasattr(method, "__wrapped__")
