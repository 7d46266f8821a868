"""FOOTY_HOME on a network file system is refused."""

from pathlib import Path

import pytest

from footy_assets.errors import BadInput
from footy_assets.runtime.file_systems import Mount, network_file_system, require_local_folder

ROOT = Mount("/", "ext4")


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "fuse.sshfs", "NFS4"])
def test_a_home_on_a_network_file_system_is_refused(tmp_path: Path, kind: str) -> None:
    mounts = [ROOT, Mount(str(tmp_path), kind)]
    with pytest.raises(BadInput, match=kind.lower()) as raised:
        require_local_folder(tmp_path / "not there yet", mounts)
    assert "FOOTY_HOME" in raised.value.fix


def test_the_mount_that_holds_the_folder_counts(tmp_path: Path) -> None:
    local = tmp_path / "disk"
    assert network_file_system(local, [ROOT, Mount(str(tmp_path / "dis"), "nfs")]) is None
    assert network_file_system(local, [Mount("/", "nfs"), Mount(str(local), "ext4")]) is None
    assert network_file_system(local, [Mount("/", "ext4"), Mount("/", "nfs4")]) == "nfs4"


def test_the_machine_of_the_tests_has_mounts_that_are_read(tmp_path: Path) -> None:
    require_local_folder(tmp_path)
