#!/usr/bin/env bash
# Tries the packages on a bare Debian system: the tar.gz and the wheel where nothing but a compiler is, then the .deb
# packages with what they themselves ask for, then all tests of an installation, then their removal.
#
# usage: tests/package/root.sh ROOT FOLDER     ROOT: the system's folder, made by debootstrap where it is not there yet;
#                                              what is missing is installed in it. FOLDER: the packages.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
mkdir -p "$1"
root=$(cd "$1" && pwd)
packages=$(cd "$2" && pwd)

# What is mounted in a mount namespace of our own is gone when we are.
if [ -z "${WEFT_OWN_NAMESPACE:-}" ]; then
  WEFT_OWN_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child -- "$0" "$root" "$packages"
fi

if [ ! -e "$root/etc/debian_version" ]; then # the release that the packages were built on
  # shellcheck disable=SC1091
  debootstrap --variant=minbase "$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")" "$root" >/dev/null
fi
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"

place=$root/weft-try
rm -rf "$place"
mkdir "$place"
trap 'rm -rf "$place"' EXIT
cp "$packages"/weft* "$place"
cp -r "$top/tests" "$top/examples" "$place"
cp "$here/in_root.sh" "$place"
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive HOME=/root \
  chroot "$root" sh /weft-try/in_root.sh
