"""FOOTY_HOME is on a disk of this machine: locks and databases break on a shared one."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import psutil

from footy_assets.errors import BadInput

NETWORK_FILE_SYSTEMS = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre")
) | {"fuse.sshfs", "fuse.glusterfs", "fuse.ceph", "fuse.s3fs", "fuse.goofys", "fuse.rclone"}


class Mount(NamedTuple):
    mountpoint: str
    fstype: str


def read_mounts() -> list[Mount]:
    return [Mount(one.mountpoint, one.fstype) for one in psutil.disk_partitions(all=True)]


def network_file_system(folder: Path, mounts: Iterable[Mount]) -> str | None:
    """The type of the file system that holds the folder, if others can mount it too."""
    path = folder.resolve()
    holding = [mount for mount in mounts if path.is_relative_to(mount.mountpoint)]
    # Of mounts at one place, the last one is seen.
    deepest = max(
        enumerate(holding),
        key=lambda one: (len(Path(one[1].mountpoint).parts), one[0]),
        default=None,
    )
    kind = "" if deepest is None else deepest[1].fstype.lower()
    return kind if kind in NETWORK_FILE_SYSTEMS else None


def require_local_folder(folder: Path, mounts: Iterable[Mount] | None = None) -> None:
    kind = network_file_system(folder, read_mounts() if mounts is None else mounts)
    if kind is not None:
        raise BadInput(
            f"{folder} is on a network file system ({kind}), where locks and databases break",
            "Set FOOTY_HOME to a folder on a disk of this machine, one for each machine",
        )
