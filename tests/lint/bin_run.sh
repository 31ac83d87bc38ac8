#!/usr/bin/env bash
# bin/run in a scratch checkout with stand-ins for the tools that it calls: what it asks, installs, exports and starts.
set -euo pipefail
top=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
checkout=$scratch/check\ out
mkdir -p "$checkout/build/release" "$checkout/volume/config" "$scratch/stubs" "$scratch/elsewhere"
cp -r "$top/bin" "$top/config" "$top/deploy" "$checkout/"
rm -f "$checkout/config/custom.env"
: >"$checkout/build/release/build.ninja"

stub() { # NAME BODY
  printf '#!/bin/bash\n%s\n' "$2" >"$scratch/stubs/$1"
  chmod +x "$scratch/stubs/$1"
}
stub dpkg-query "printf '%s' \"\${FAKE_STATUS-installed}\""
stub ninja "echo built; exit \${FAKE_BUILD:-0}"
for name in apt-get useradd sudo; do stub "$name" "echo \"$name \$*\" >>'$scratch/calls'"; done
stub getent 'exit 2'
stub setpriv "exit \${FAKE_ENTER:-0}"
cat >"$checkout/build/release/container-mcp" <<'PROGRAM'
#!/bin/bash
printf 'config=%s\nin=%s\n' "$CMCP_CONFIG" "$PWD"
printf 'argument=%s\n' "$@"
PROGRAM
chmod +x "$checkout/build/release/container-mcp"

check() { # WHAT CONDITION…
  local what=$1
  shift
  if ! "$@"; then
    echo "does not hold: $what"
    echo "-- stdout"; cat "$scratch/out"
    echo "-- stderr"; cat "$scratch/err"
    echo "-- calls"; cat "$scratch/calls"
    exit 1
  fi
}
run() { # runs bin/run as a client starts it: no terminal
  : >"$scratch/calls"
  status=0
  (cd "$scratch/elsewhere" && PATH=$scratch/stubs:$PATH "$checkout/bin/run" "$@" </dev/null) >"$scratch/out" 2>"$scratch/err" || status=$?
}
unset CMCP_CONFIG

FAKE_STATUS='' run --stdio
check "missing packages without a terminal stop" [ "$status" != 0 ]
check "nothing is printed on standard output" [ ! -s "$scratch/out" ]
check "the command is shown" grep -q 'apt-get install --no-install-recommends g++ cmake' "$scratch/err"
check "nothing is installed unasked" [ ! -s "$scratch/calls" ]

FAKE_STATUS='' run --yes
check "--yes installs" grep -q 'apt-get install -y .*g++ cmake\|sudo .*apt-get install -y .*g++ cmake' "$scratch/calls"

FAKE_BUILD=1 run
check "a failed build starts nothing" [ "$status" != 0 ]
check "a failed build starts nothing" [ ! -s "$scratch/out" ]

run --stdio --workspace 'a b'
base=$(cd "$checkout" && pwd -P)
check "it starts" [ "$status" = 0 ]
check "the files are named" grep -qxF "config=$base/build/run-defaults.env:$base/config/default.env" "$scratch/out"
check "it stays where it was typed" grep -qxF "in=$(cd "$scratch/elsewhere" && pwd -P)" "$scratch/out"
check "arguments pass" grep -qxF 'argument=a b' "$scratch/out"
check "the build does not speak on standard output" [ "$(grep -c built "$scratch/out")" = 0 ]
check "SANDBOX_ROOT is the checkout's" grep -qxF "SANDBOX_ROOT=\"$base/sandbox\"" "$checkout/build/run-defaults.env"
if [ "$(id -u)" = 0 ]; then
  FAKE_ENTER=1 run --port 1
  check "a checkout that the server's user may not enter keeps files elsewhere" \
    grep -qxF 'SANDBOX_ROOT="/var/lib/container-mcp/sandbox"' "$checkout/build/run-defaults.env"
  check "and says so" grep -qF "may not enter" "$scratch/err"
fi
if [ "$(id -u)" = 0 ]; then
  check "a start by root makes the service user" grep -q '^useradd --system .*container-mcp$' "$scratch/calls"
else
  check "a start without root makes no user" [ ! -s "$scratch/calls" ]
fi

: >"$checkout/config/custom.env"
: >"$checkout/volume/config/custom.env"
CMCP_CONFIG=/etc/own.env run
check "the user's files come after ours" grep -qxF \
  "config=$base/build/run-defaults.env:$base/config/default.env:$base/config/custom.env:$base/volume/config/custom.env:/etc/own.env" "$scratch/out"
echo "bin/run holds"
