#!/bin/sh
# What root.sh runs in the bare system, in a folder that has the packages, tests and examples.
set -eu
cd /weft-try
hello=$PWD/examples/c/hello.c

say() { printf 'in the bare system: %s\n' "$*"; }
fail() {
  say "$*" >&2
  exit 1
}
install() {
  apt-get -q install -y --no-install-recommends "$@" >apt.log 2>&1 || {
    cat apt.log >&2
    fail "could not install $*"
  }
}

# runs_hello FOLDER: with the compiler wrapper and launcher there.
runs_hello() {
  "$1/oshcc" "$hello" -o hello
  "$1/oshrun" -n 3 ./hello >said
  [ "$(sort said)" = "$(printf 'hello from PE %d of 3\n' 0 1 2)" ] || {
    cat said >&2
    fail "hello said something else with $1"
  }
  "$1/weft-info" >/dev/null
}

apt-get -q update >/dev/null 2>&1 || fail "apt-get update failed"
apt-get -q purge -y weft weft-dev weft-doc >/dev/null 2>&1 || true # of an earlier try

say "the tar.gz, with a C compiler and nothing else"
install gcc libc6-dev
mkdir "a place"
tar xzf weft-*.tar.gz -C "a place"
unpacked=$(echo "$PWD/a place"/weft-*)
runs_hello "$unpacked/bin"
if ! ldconfig -p | grep -q libhwloc; then
  # The one part that needs more than libc says what is missing.
  ! WEFT_NUMA=interleave ./hello 2>said || fail "WEFT_NUMA works without hwloc"
  grep -q 'WEFT_NUMA=interleave.*libhwloc' said || fail "WEFT_NUMA without hwloc does not say so: $(cat said)"
fi

say "the wheel"
install python3-venv
python3 -m venv environment
environment/bin/pip --disable-pip-version-check install --no-index -q weft-*.whl
runs_hello "$PWD/environment/bin"

say "the package weft alone"

install ./weft_*.deb
LD_LIBRARY_PATH='' oshrun --version
for library in /usr/lib/*/libweft*.so*; do
  ! ldd "$library" | grep 'not found' || fail "$library: its package does not ask for all it needs"
done

say "with weft-dev and weft-doc"
install ./weft-dev_*.deb ./weft-doc_*.deb
runs_hello /usr/bin
[ -e /usr/share/doc/weft/examples/c/hello.c ] || fail "weft-doc has no examples"

say "all tests of an installation"
install python3 g++ gfortran pkg-config cmake make autoconf automake musl-tools
libdir=$(dirname /usr/lib/*/libweft.so.0)
# Layout and Moved are about all files below the prefix, which is the system's own here.
for tests in "install_test.py Gcc Wrapper Fortran PkgConfig CMakePackage Mpi OnHosts" builds_test.py openmp_test.py \
  "extras_test.py Completion Bindings"; do
  # shellcheck disable=SC2086
  WEFT_TEST_PREFIX=/usr WEFT_TEST_LIBDIR=${libdir#/usr/} python3 -B tests/install/$tests >log 2>&1 || {
    cat log >&2
    fail "tests of an installation failed; the reason is above"
  }
  tail -n 3 log
done

# chosen WHOSE: which of the two the names stand for.
chosen() {
  [ "$(readlink -f /usr/bin/oshcc)" = "$(readlink -f "/usr/bin/oshcc.$1")" ] &&
    [ "$(readlink -f /usr/bin/oshrun)" = "$(readlink -f "/usr/bin/oshrun.$1")" ] &&
    [ "$(readlink -f "$libdir/liboshmem.so")" = "$(readlink -f "$libdir/liboshmem.$1.so")" ] &&
    [ "$(readlink -f /usr/share/man/man1/oshcc.1.gz)" = "$(readlink -f "/usr/share/man/man1/oshcc.$1.1.gz")" ]
}

# both_work: each by its own names, and by the common ones when it is chosen.
both_work() {
  chosen weft || fail "weft's commands are not the ones that are taken: $(readlink -f /usr/bin/oshcc /usr/bin/oshrun)"
  runs_hello /usr/bin
  for name in oshcc oshrun; do update-alternatives --set $name /usr/bin/$name.openmpi >/dev/null; done
  chosen openmpi || fail "Open MPI's commands were not chosen"
  oshcc "$hello" -o theirs || fail "Open MPI's oshcc does not compile"
  ldd theirs | grep -q 'liboshmem.so.40' || fail "Open MPI's oshcc did not link with its library"
  oshrun --version | grep -q 'Open MPI\|OpenRTE' || fail "oshrun is not Open MPI's"
  oshcc.weft "$hello" -o ours
  oshrun.weft -n 2 ./ours >said || fail "oshrun.weft does not work while the other is chosen"
  for name in oshcc oshrun; do update-alternatives --auto $name >/dev/null; done
  chosen weft || fail "weft's commands are not the ones that are taken automatically"
}

gone() {
  for name in /usr/bin/oshrun /usr/bin/oshcc /etc/alternatives/oshrun /etc/alternatives/oshcc /etc/alternatives/liboshmem.so; do
    if [ -e "$name" ] || [ -h "$name" ]; then fail "$name is still there"; fi
  done
  ! dpkg-divert --list | grep osh || fail "files are still diverted"
}

say "Open MPI beside them, which comes later"
install openmpi-bin libopenmpi-dev
both_work

say "their removal, which leaves Open MPI as it was"
dpkg -L weft weft-dev weft-doc | sort -u >had
apt-get -q purge -y weft weft-dev weft-doc >/dev/null 2>&1
while read -r name; do
  if [ ! -d "$name" ] && [ -e "$name" ]; then fail "$name is still there"; fi
done <had
[ "$(readlink /usr/bin/oshcc)" = opal_wrapper ] || fail "oshcc is not Open MPI's as before: $(ls -l /usr/bin/osh*)"
oshrun --version | grep -q 'Open MPI\|OpenRTE' || fail "oshrun is not Open MPI's as before"
[ "$(readlink "$libdir/liboshmem.so")" = liboshmem.so.40 ] || fail "liboshmem.so is not Open MPI's as before"
! dpkg-divert --list | grep osh || fail "files are still diverted"

say "the other order, and Open MPI's removal"
install ./weft_*.deb ./weft-dev_*.deb
both_work
apt-get -q purge -y openmpi-bin libopenmpi-dev >/dev/null 2>&1
chosen weft || fail "weft's commands are gone with Open MPI"
! update-alternatives --list oshcc | grep openmpi || fail "Open MPI's oshcc is still an alternative"
runs_hello /usr/bin
apt-get -q purge -y weft weft-dev >/dev/null 2>&1
gone
say "all is well"
