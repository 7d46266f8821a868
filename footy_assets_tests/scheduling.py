"""Which tests run together on one worker."""

from xdist.scheduler import LoadScopeScheduling

# Files that start the whole stack (Dagster, web app, servers), or share what those build.
STACKS = ("runtime/test_up", "runtime/test_demo", "gallery/test_demo_in_browser", "test_package")


def starts_stacks(nodeid: str) -> bool:
    return nodeid.removeprefix("footy_assets_tests/").startswith(STACKS)


class FileScheduling(LoadScopeScheduling):
    """The tests of a file stay together. All files that start stacks are one unit: they mostly
    wait, and two stacks at a time would fill both cores."""

    def _split_scope(self, nodeid: str) -> str:
        return "stacks" if starts_stacks(nodeid) else nodeid.partition("::")[0]
