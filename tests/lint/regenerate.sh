#!/usr/bin/env bash
# Writes anew what is generated from the settings table: regenerate.sh [BUILD_DIRECTORY]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${1:-build/dev}
ninja -C "$build" config_docs >&2
program=$build/tests/lint/config_docs
"$program" configuration.md >docs/configuration.md
"$program" default.env >config/default.env
"$program" not_built_settings.txt >tests/golden/not_built_settings.txt
"$program" settings.txt >tests/golden/settings.txt
