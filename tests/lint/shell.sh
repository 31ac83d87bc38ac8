#!/usr/bin/env bash
# Every shell script passes shellcheck.
set -euo pipefail
command -v shellcheck >/dev/null || { echo "skip: shellcheck is not installed"; exit 77; }
mapfile -t scripts < <(
  git ls-files --cached --others --exclude-standard 2>/dev/null | while read -r file; do
    [ -f "$file" ] && [ ! -L "$file" ] || continue
    case "$file" in tests/escape/*) continue ;; esac
    if head -c 64 "$file" | head -n 1 | grep -aqE '^#!.*\b(ba)?sh\b' || [ "$file" = bin/support.sh ]; then echo "$file"; fi
  done
)
[ "${#scripts[@]}" -gt 0 ] || { echo "skip: not a git checkout"; exit 77; }
shellcheck -x --severity=warning "${scripts[@]}"
# Attacks in shell are programs together with their prelude, for any sh.
attacks=(tests/escape/attacks/*.sh)
for attack in "${attacks[@]}"; do
  cat tests/escape/prelude.sh "$attack" | shellcheck --shell=sh --severity=warning - || { echo "in $attack, after the prelude"; exit 1; }
done
echo "${#scripts[@]} scripts, ${#attacks[@]} attacks in shell"
