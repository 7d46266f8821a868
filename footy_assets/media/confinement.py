"""What a process that reads files from outside may do: limits, Landlock and seccomp.

Limits exist everywhere. Landlock (Linux 5.13) and seccomp are used where the kernel has them; both
are system calls without a Python API, so they are made with ctypes.
"""

import ctypes
import errno
import os
import platform
import resource
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

MEBIBYTE = 1 << 20

# Numbers of <linux/prctl.h>, <linux/landlock.h> and <linux/seccomp.h>.
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 1, 4, 38, 22
SIGKILL = 9
LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF = 444, 446
LANDLOCK_VERSION = 1
# The kinds of access that each version of Landlock can deny, by the version that added them.
LANDLOCK_FILES = {1: 0x1FFF, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
LANDLOCK_TCP = {4: 0b11}
LANDLOCK_SCOPES = {6: 0b11}
SECCOMP_FILTER = 2
SECCOMP_ALLOW, SECCOMP_ERRNO = 0x7FFF0000, 0x00050000
BPF_LOAD, BPF_EQUAL, BPF_RETURN = 0x20, 0x15, 0x06

# What decoding needs of the kernel, by architecture: memory, files that are open, time, the end.
# Each list: read write close fstat lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask
# rt_sigreturn pread64 pwrite64 readv writev sched_yield mremap madvise dup nanosleep getpid exit
# gettimeofday getrusage sigaltstack gettid futex sched_getaffinity restart_syscall clock_gettime
# clock_getres clock_nanosleep exit_group newfstatat ppoll getrandom membarrier rseq; and poll.
SYSTEM_CALLS: dict[str, tuple[int, tuple[int, ...]]] = {
    "x86_64": (
        0xC000003E,
        (
            *(0, 1, 3, 5, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 24, 25, 28, 32, 35, 39, 60),
            *(96, 98, 131, 186, 202, 204, 219, 228, 229, 230, 231, 262, 271, 318, 324, 334, 7),
        ),
    ),
    "aarch64": (
        0xC00000B7,
        (
            *(63, 64, 57, 80, 62, 222, 226, 215, 214, 134, 135, 139, 67, 68, 65, 66, 124, 216, 233),
            *(23, 101, 172, 93, 169, 165, 132, 178, 98, 123, 128, 113, 114, 115, 94, 79, 73, 278),
            *(283, 293),
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """`memory` is what the process may add to what it has when it is confined."""

    memory: int = 768 * MEBIBYTE
    cpu_seconds: int = 130
    file_size: int = 512 * MEBIBYTE
    open_files: int = 16


def confine(limits: ProcessLimits) -> tuple[str, ...]:
    """Confine this process, for good. Returns the protections in force, for people to read."""
    protections = [*_set_limits(limits)]
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        # It ends with the process that forked it.
        libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        version = _deny_files_and_network(libc)
        if version:
            protections.append(f"Landlock {version}")
        if _deny_system_calls(libc):
            protections.append("seccomp")
    return tuple(protections)


def _set_limits(limits: ProcessLimits) -> list[str]:
    wanted = {
        "memory": (resource.RLIMIT_AS, _address_space() + limits.memory),
        "CPU time": (resource.RLIMIT_CPU, limits.cpu_seconds),
        "file size": (resource.RLIMIT_FSIZE, limits.file_size),
        "open files": (resource.RLIMIT_NOFILE, limits.open_files),
        "core": (resource.RLIMIT_CORE, 0),
    }
    in_force = []
    for name, (number, value) in wanted.items():
        # The first limit of CPU time sends SIGXCPU, which says what happened; the second SIGKILL.
        second = value + 5 if number == resource.RLIMIT_CPU else value
        try:
            resource.setrlimit(number, (value, second))
        except (OSError, ValueError):
            continue  # macOS has no limit of memory
        in_force.append(name)
    return [f"limits of {', '.join(name for name in in_force if name != 'core')}"]


def _address_space() -> int:
    """How much this process has mapped already, libraries above all."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def _deny_files_and_network(libc: ctypes.CDLL) -> int:
    """Deny opening any file, TCP, and signals to other processes. Returns Landlock's version, or 0
    where there is none."""
    version = int(libc.syscall(LANDLOCK_CREATE_RULESET, None, 0, LANDLOCK_VERSION))
    if version < 1:
        return 0
    fields = [
        sum(bits for since, bits in kinds.items() if since <= version)
        for kinds in (LANDLOCK_FILES, LANDLOCK_TCP, LANDLOCK_SCOPES)
    ]
    # An older kernel knows fewer fields, and refuses the others unless they are 0.
    attributes = struct.pack("3Q", *fields)
    rules = libc.syscall(
        LANDLOCK_CREATE_RULESET, ctypes.c_char_p(attributes), ctypes.c_size_t(len(attributes)), 0
    )
    if rules < 0:
        return 0
    denied = libc.syscall(LANDLOCK_RESTRICT_SELF, rules, 0) == 0
    os.close(rules)
    return version if denied else 0


def _deny_system_calls(libc: ctypes.CDLL) -> bool:
    """Every system call but those for decoding fails: no socket, no program, no other process."""
    known = SYSTEM_CALLS.get(platform.machine())
    if known is None:
        return False
    architecture, calls = known
    lines = [
        struct.pack("HBBI", BPF_LOAD, 0, 0, 4),
        struct.pack("HBBI", BPF_EQUAL, 0, len(calls) + 1, architecture),
        struct.pack("HBBI", BPF_LOAD, 0, 0, 0),
        *(
            struct.pack("HBBI", BPF_EQUAL, len(calls) - number, 0, call)
            for number, call in enumerate(calls)
        ),
        struct.pack("HBBI", BPF_RETURN, 0, 0, SECCOMP_ERRNO | errno.EPERM),
        struct.pack("HBBI", BPF_RETURN, 0, 0, SECCOMP_ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(lines))
    program = struct.pack("HP", len(lines), ctypes.addressof(code))
    done = libc.prctl(PR_SET_SECCOMP, SECCOMP_FILTER, ctypes.c_char_p(program), 0, 0)
    return bool(done == 0)
