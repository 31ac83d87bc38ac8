#!/usr/bin/env bash
# The AppArmor profiles parse in the installed parser's language, have the userns rule for parsers that know it, and a
# directory with special characters is refused. tests/vm loads and tries them; Ubuntu's restriction has not been met yet.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin
newer=$(bin/apparmor-profile /opt/container-mcp 4.0.1)
grep -qx '  userns,' <<<"$newer"
grep -q '^abi <abi/4.0>,' <<<"$newer"
grep -q '^profile container-mcp /opt/container-mcp/.* flags=(unconfined) {' <<<"$newer"
grep -q '^profile container-mcp flags=(attach_disconnected) {' <<<"$(bin/apparmor-profile --container)"
grep -q '^  profile python flags=(attach_disconnected) {' <<<"$newer"
if grep -q '@[A-Z]*@' <<<"$newer"; then
  echo "a placeholder was not filled in"
  exit 1
fi
for bad in relative/path '/opt/a b' '/opt/{a,b}' '/opt/*' $'/opt/a\nprofile'; do
  if bin/apparmor-profile "$bad" 4.0.1 >/dev/null 2>&1; then
    echo "accepted: $bad"
    exit 1
  fi
done
command -v apparmor_parser >/dev/null || { echo "skip: apparmor_parser is not installed"; exit 77; }
# A kernel without AppArmor, where the parser would assume nothing: the features that the distribution pins are meant.
options=(-Q -K)
pinned=/usr/share/apparmor-features/features
if [ ! -d /sys/kernel/security/apparmor/features ] && [ -r "$pinned" ]; then options+=(-M "$pinned"); fi
bin/apparmor-profile /opt/container-mcp | apparmor_parser "${options[@]}"
bin/apparmor-profile --confine /opt/container-mcp | apparmor_parser "${options[@]}"
bin/apparmor-profile --container | apparmor_parser "${options[@]}"
