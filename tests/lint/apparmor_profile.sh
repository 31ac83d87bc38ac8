#!/usr/bin/env bash
# The AppArmor profile parses in the installed parser's language, has the userns rule for parsers that know it, and a
# directory with special characters is refused. It has not been run on Ubuntu.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin
newer=$(bin/apparmor-profile /opt/container-mcp 4.0.1)
grep -qx '  userns,' <<<"$newer"
grep -q '^abi <abi/4.0>,' <<<"$newer"
for bad in relative/path '/opt/a b' '/opt/{a,b}' '/opt/*' $'/opt/a\nprofile'; do
  if bin/apparmor-profile "$bad" 4.0.1 >/dev/null 2>&1; then
    echo "accepted: $bad"
    exit 1
  fi
done
command -v apparmor_parser >/dev/null || { echo "skip: apparmor_parser is not installed"; exit 77; }
bin/apparmor-profile /opt/container-mcp | apparmor_parser -Q -K
