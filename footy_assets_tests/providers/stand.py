"""Former names of `harness`, which `benchmarks/providers.py` imports."""

from footy_assets_tests.providers.harness import ProvidersHarness as Stand
from footy_assets_tests.providers.harness import providers_harness as stand

__all__ = ["Stand", "stand"]
