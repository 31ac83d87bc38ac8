#!/usr/bin/env bash
# Makes what the test machine boots from, and prints the directory that holds it: root.img (ext4), vmlinuz, initrd.
#
#   tests/vm/image.sh DIRECTORY
#
# The image is kept in DIRECTORY under the checksum of its recipe: this script and packages.txt. Needs root (mmdebstrap and
# mke2fs keep the owners of files), mmdebstrap and e2fsprogs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
PATH=$PATH:/usr/sbin:/sbin
[ $# = 1 ] || { echo "usage: tests/vm/image.sh DIRECTORY" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "tests/vm/image.sh: making the machine's root needs root" >&2; exit 1; }
for program in mmdebstrap mke2fs; do
  command -v "$program" >/dev/null || { echo "tests/vm/image.sh: $program is not installed (bin/test vm --yes installs it)" >&2; exit 1; }
done
mkdir -p "$1"
store=$(cd "$1" && pwd -P)
key=$(cat "$here/packages.txt" "$here/image.sh" | sha256sum | cut -c1-16)
image=$store/image-$key
if [ -s "$image/root.img" ]; then
  echo "$image"
  exit 0
fi
exec 9>"$store/image.lock"
flock 9
if [ -s "$image/root.img" ]; then
  echo "$image"
  exit 0
fi
find "$store" -maxdepth 1 -name 'image-*' -type d ! -name "image-$key" -exec rm -rf {} +
work=$image.partial
rm -rf --one-file-system "$work"
mkdir -p "$work"
began=$SECONDS
packages=$(grep -v '^#' "$here/packages.txt" | paste -sd,)
# The unit of the tests is in the image; what it runs arrives with the second disk, so that a changed test needs no new image.
mmdebstrap --variant=minbase --mode=root --format=directory \
  --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*' \
  --include="$packages" --customize-hook="$here/customize.sh \"\$1\"" \
  bookworm "$work/root" >&2
cp -L "$work/root/vmlinuz" "$work/vmlinuz"
cp -L "$work/root/initrd.img" "$work/initrd"
# Room for containers and the tests' files; the file itself is sparse.
truncate -s 3G "$work/root.img"
mke2fs -q -t ext4 -L root -d "$work/root" "$work/root.img" >&2
rm -rf --one-file-system "$work/root"
mv "$work" "$image"
echo "the machine's image took $((SECONDS - began)) s" >&2
echo "$image"
