"""Chromium runs in its sandbox, and not as root."""

import os
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Page

from footy_assets.runtime.doctor import examine_browser
from footy_assets.settings import Settings, load_settings
from resources.browser.binary import find_browser
from resources.browser.isolation import BROWSER_UID, Isolation, best_isolation
from resources.browser.launch import BrowserOptions
from resources.browser.processes import process_tree
from resources.browser.profile import copy_profile
from resources.browser.session import BrowserSession

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def executable() -> Path:
    found = find_browser(load_settings().browser_path)
    assert found, "these tests need a Chromium: see `footy doctor`"
    return found


def seccomp(process: psutil.Process) -> int:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("Seccomp:")[2].split()[0])


def test_pages_are_sandboxed_and_no_part_of_the_browser_is_root_or_has_our_keys(
    executable: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolation = best_isolation(executable)
    if not isolation.sandbox:
        pytest.skip("this machine has no user namespaces")
    monkeypatch.setenv("FOOTY_API_FOOTBALL_KEY", "k3y")
    profile = tmp_path / "home" / "x-profile"

    def visit(page: Page, on_progress: object) -> list[psutil.Process]:
        page.goto("data:text/html,<script>document.cookie='a=b'</script>")
        assert session.profile is not None
        return process_tree(session.profile)

    with BrowserSession(BrowserOptions(profile)) as session:
        processes = session.run(visit, lambda text: None)
        renderers = [p for p in processes if "--type=renderer" in p.cmdline()]
        assert renderers
        assert {seccomp(p) for p in renderers} == {2}, "system calls are filtered"
        assert {p.uids().effective for p in processes} == {isolation.uid or os.geteuid()}
        assert 0 not in {p.uids().effective for p in processes}
        for process in processes:
            assert "k3y" not in process.environ().values()
    assert (profile / "Default").is_dir(), "the profile is kept"
    assert {p.stat().st_uid for p in profile.rglob("*")} == {os.geteuid()}
    assert profile.stat().st_mode & 0o077 == 0


def test_a_link_in_a_profile_is_not_followed(tmp_path: Path) -> None:
    """A browser that was taken over must not get at files through the copy of its profile."""
    secret = tmp_path / "secret"
    secret.write_text("only ours")
    profile = tmp_path / "profile"
    (profile / "Default").mkdir(parents=True)
    (profile / "Default" / "Cookies").write_text("cookies")
    (profile / "Default" / "stolen").symlink_to(secret)
    (profile / "folder").symlink_to(tmp_path)
    os.mkfifo(profile / "pipe")
    copy = tmp_path / "copy"
    copy_profile(profile, copy)
    found = sorted(str(p.relative_to(copy)) for p in copy.rglob("*"))
    assert found == ["Default", "Default/Cookies"]


def test_without_user_namespaces_it_runs_without_a_sandbox_and_doctor_says_so(
    executable: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(home=tmp_path, browser_path=executable)
    if best_isolation(executable).sandbox:
        check = examine_browser(settings)
        assert check.ok
        assert ", sandboxed" in check.detail
    without = tmp_path / "bin"
    without.mkdir()
    (without / "unshare").write_text("#!/bin/sh\nexit 1\n")
    (without / "unshare").chmod(0o755)
    tmp_path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{without}:{os.environ['PATH']}")
    best_isolation.cache_clear()
    try:
        check = examine_browser(settings)
        assert not check.ok
        assert check.optional
        assert ", not sandboxed" in check.detail
    finally:
        best_isolation.cache_clear()


def test_a_browser_that_prints_its_version_but_opens_no_page_is_not_ok(tmp_path: Path) -> None:
    broken = tmp_path / "chromium"
    broken.write_text('#!/bin/sh\ntest "$1" = --version && echo Chromium 156\n')
    broken.chmod(0o755)
    check = examine_browser(Settings(home=tmp_path, browser_path=broken))
    assert not check.ok
    assert "does not start" in check.detail


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another user")
def test_root_runs_the_browser_as_itself_only_where_no_other_user_can(
    executable: Path, tmp_path: Path
) -> None:
    assert best_isolation(executable).uid == BROWSER_UID
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    (hidden / "chromium").symlink_to(executable)
    assert best_isolation(hidden / "chromium") == Isolation(sandbox=False)
