#!/usr/bin/env bash
# Packs what a build would install.
#
# usage: tools/package/make.sh BUILD FOLDER KIND...     KIND: deb archive wheel (which is made of the archive)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2

# The time of the sources, so that the same sources give the same packages.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

pack() {
  local log
  log=$(mktemp)
  # cpack takes the configuration it is to pack from the folder it is started in.
  if ! (cd "$build" && cpack -G "$1" -B "$folder") >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    printf 'make.sh: cpack could not make the %s package; the reason is above\n' "$1" >&2
    exit 1
  fi
  rm -rf "$log" "$folder/_CPack_Packages"
}

for kind; do
  case $kind in # what another version left is not ours
    deb)
      rm -f "$folder"/weft*.deb
      pack DEB
      ;;
    archive)
      rm -f "$folder"/weft-*.tar.gz
      pack TGZ
      ;;
    wheel)
      rm -f "$folder"/weft-*.whl
      python3 -B "$here/wheel.py" "$folder"/weft-*.tar.gz "$folder" >/dev/null
      ;;
    *)
      printf 'make.sh: there is no kind of package "%s"; the kinds are deb, archive and wheel\n' "$kind" >&2
      exit 1
      ;;
  esac
done
