#!/usr/bin/env bash
# generated.sh CONFIG_DOCS WHAT FILE: FILE is what the settings table says today.
set -euo pipefail
if ! "$1" "$2" | diff -u "$3" -; then
  echo "$3 is not up to date; regenerate it with: tests/lint/regenerate.sh"
  exit 1
fi
