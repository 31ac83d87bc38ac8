#!/usr/bin/env bash
# Every C++ file is formatted as .clang-format says.
set -euo pipefail
command -v clang-format-19 >/dev/null || { echo "skip: clang-format-19 is not installed"; exit 77; }
find src tests fuzz bench -name node_modules -prune -o \( -name '*.cc' -o -name '*.h' -o -name '*.c' \) -print0 2>/dev/null |
  xargs -0 clang-format-19 --dry-run --Werror || { echo "format them with: clang-format-19 -i FILE"; exit 1; }
