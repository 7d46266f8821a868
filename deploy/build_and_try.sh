#!/bin/sh
# Builds the image without a container registry, and plays `footy demo` in it: as its user, with no
# network but loopback, no capabilities, and a read-only root file system.
#
#   deploy/build_and_try.sh [FOLDER]      needs root, buildah and debootstrap; 10 GB in FOLDER
#
# BASE=debian:bookworm-slim builds on an image of a registry instead of a debootstrap of Debian 12;
# BUILD=no tries the image of the last time, TRY=no only builds; DEMO has options of the demo.
set -eu

self=$(cd "$(dirname "$0")" && pwd -P)/$(basename "$0")
checkout=$(dirname "$(dirname "$self")")
uid=10001

say() { printf 'build_and_try: %s\n' "$*" >&2; }
buildah_() { buildah --root "$work/storage" --runroot "$work/run" "$@"; }

# What debian:bookworm-slim is, roughly. The machine's certificates, as its network may need them.
make_base() {
    debootstrap --variant=minbase --include=ca-certificates bookworm "$work/base" >"$work/debootstrap.log"
    sources=$work/base/etc/apt/sources.list
    mirror=$(awk '/^deb / { print $2; exit }' "$sources")
    cat >>"$sources" <<END
deb $mirror bookworm-updates main
deb ${mirror%/}-security bookworm-security main
END
    cp /usr/local/share/ca-certificates/*.crt "$work/base/usr/local/share/ca-certificates/" 2>/dev/null || true
    chroot "$work/base" update-ca-certificates >/dev/null 2>&1
    rm -rf "$work/base"/var/cache/apt/archives/*.deb "$work/base"/var/lib/apt/lists/*
    printf 'FROM scratch\nCOPY . /\nCMD ["bash"]\n' >"$work/base.Dockerfile"
    buildah_ build --isolation chroot --tag "$BASE" --file "$work/base.Dockerfile" "$work/base" >"$work/base.log" 2>&1
    rm -rf "$work/base"
}

build() {
    started=$(date +%s)
    buildah_ build --isolation chroot --format docker --layers --build-arg "BASE=$BASE" \
        --file "$checkout/deploy/Dockerfile" "$@" "$checkout" >>"$work/build.log" 2>&1 ||
        { tail -n 30 "$work/build.log" >&2; exit 1; }
    say "built $* in $(($(date +%s) - started)) s"
}

size() { buildah_ images --format '{{.Name}}:{{.Tag}} {{.Size}}' | grep footy-assets >&2; }

# In namespaces of its own: makes the mounts of a container, and becomes its first process.
become_container() {
    root=$1 home=$2 environment=$3
    shift 3
    ip link set lo up
    mount --make-rprivate /
    mount --bind "$root" "$root"
    mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
    mount -t tmpfs -o nosuid,mode=755 tmpfs "$root/dev"
    for device in null zero full random urandom tty; do
        touch "$root/dev/$device"
        mount --bind "/dev/$device" "$root/dev/$device"
    done
    mkdir "$root/dev/shm"
    mount -t tmpfs -o nosuid,nodev,mode=1777,size=1g tmpfs "$root/dev/shm"
    mount -t tmpfs -o nosuid,nodev,noexec,mode=1777,size=2g tmpfs "$root/tmp"
    mount --bind "$home" "$root/var/lib/footy"
    for file in hosts resolv.conf; do
        mount --bind "$home.$file" "$root/etc/$file"
    done
    mount -o remount,bind,ro "$root"
    cd "$root"
    pivot_root . .
    umount -l .
    # shellcheck disable=SC2046
    exec env -i HOME=/var/lib/footy $(cat "$environment") setpriv --reuid "$uid" --regid "$uid" --clear-groups --no-new-privs \
        --bounding-set=-all --inh-caps=-all tini -- "$@"
}

# in_container COMMAND...
in_container() {
    container=$(buildah_ from --pull-never footy-assets)
    root=$(buildah_ mount "$container")
    home=$work/home
    rm -rf "$home"
    mkdir -m 0700 "$home"
    chown "$uid:$uid" "$home"
    printf '127.0.0.1 localhost\n' >"$home.hosts"
    : >"$home.resolv.conf"
    touch "$root/etc/hosts" "$root/etc/resolv.conf"
    buildah_ inspect --type image --format '{{range .OCIv1.Config.Env}}{{println .}}{{end}}' footy-assets >"$root/.environment"
    status=0
    unshare --mount --net --ipc --uts --pid --fork --kill-child \
        "$self" --become "$root" "$home" /.environment "$@" || status=$?
    buildah_ rm "$container" >/dev/null
    return "$status"
}

if [ "${1:-}" = --become ]; then
    shift
    become_container "$@"
fi

work=${1:-$(mktemp -d)}
mkdir -p "$work"
work=$(cd "$work" && pwd -P)
say "works in $work, which stays"
: >"$work/build.log"
if [ -z "${BASE:-}" ]; then
    BASE=localhost/debian:bookworm
    buildah_ images --quiet "$BASE" >/dev/null 2>&1 || { say "making the base with debootstrap" && make_base; }
fi
[ "${BUILD:-yes}" = no ] || build --tag footy-assets
size
[ "${TRY:-yes}" = yes ] || exit 0
say "footy doctor:"
in_container footy doctor >&2 || true
say "footy demo:"
started=$(date +%s)
status=0
# shellcheck disable=SC2086
in_container footy demo --headless ${DEMO:-} || status=$?
say "the demo ended with $status after $(($(date +%s) - started)) s"
exit "$status"
