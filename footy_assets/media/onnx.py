"""onnxruntime, which runs the networks of this package.

Builds since 1.29 send events about models and sessions to Microsoft, from a thread that begins with
the import. Nothing of that leaves a machine of ours, and a process with one thread can be forked.
"""

import os
from importlib import import_module
from types import ModuleType

TELEMETRY_OFF = "ORT_DISABLE_TELEMETRY"


def load_onnxruntime() -> ModuleType:
    """To be called in place of every import: the variable counts only before the first one."""
    os.environ[TELEMETRY_OFF] = "1"
    return import_module("onnxruntime")
