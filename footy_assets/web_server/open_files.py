"""The limit of open files, of which each connection takes one."""

import resource

# More than a server ever needs; some systems have no limit at all.
WANTED_FILES = 16_384


def raise_open_files() -> None:
    """Raises this process's limit, which is 1,024 on most systems, as far as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = WANTED_FILES if hard == resource.RLIM_INFINITY else min(WANTED_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def open_files_limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return WANTED_FILES if soft == resource.RLIM_INFINITY else soft
