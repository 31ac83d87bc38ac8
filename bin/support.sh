# Shared by bin/run, bin/test and .ci/run; sourced, never run. Everything it says goes to stderr: standard output belongs
# to the protocol (bin/run --stdio) or to results.
# shellcheck shell=bash

say() { printf '%s\n' "$*" >&2; }
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

jobs() { printf '%s' "${CMCP_JOBS:-$(nproc)}"; }

# The packages that a build needs. Boost.JSON with a depth limit is 1.81 or newer: Debian 12 names that version, later
# releases have it under the plain name.
build_packages() {
  local boost_json=libboost-json-dev boost_system=libboost-system-dev
  if [ "$(os_release VERSION_CODENAME)" = bookworm ]; then
    boost_json=libboost-json1.81-dev boost_system=libboost-system1.81-dev
  fi
  printf '%s\n' g++ cmake ninja-build pkg-config ccache "$boost_json" "$boost_system" libssl-dev libspdlog-dev libfmt-dev \
    libseccomp-dev python3
}

# What the tests need besides: GoogleTest, the AppArmor parser, setpriv, other people's MCP clients.
test_packages() {
  printf '%s\n' libgtest-dev libgmock-dev apparmor util-linux python3-venv curl bubblewrap firejail \
    gcc git make openssh-client sqlite3 tar
  # Node may come from elsewhere, and then conflicts with the distribution's npm.
  command -v node >/dev/null 2>&1 || printf 'nodejs\n'
  command -v npm >/dev/null 2>&1 || printf 'npm\n'
}

# What .ci/run needs besides.
ci_packages() {
  printf '%s\n' clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev shellcheck git
}

# What the test machine (tests/vm) needs besides: the emulator, and what makes the machine's root.
vm_packages() {
  printf '%s\n' qemu-system-x86 mmdebstrap e2fsprogs
}

os_release() { # KEY -> its value, "" when unknown
  [ -r /etc/os-release ] || return 0
  (
    # shellcheck disable=SC1091
    . /etc/os-release
    eval "printf '%s' \"\${$1:-}\""
  )
}

# Prints those of the named packages that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    case "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" in
      installed) ;;
      *) printf '%s\n' "$package" ;;
    esac
  done
}

# ask QUESTION: true when the user at the terminal says yes, or --yes was given.
ask() {
  [ "${assume_yes:-no}" = yes ] && return 0
  local answer
  [ -t 0 ] && [ -t 2 ] || return 1
  printf '%s [y/N] ' "$1" >&2
  read -r answer
  case "$answer" in y | Y | yes | Yes) return 0 ;; *) return 1 ;; esac
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

# install_packages PACKAGE…: says which are missing, asks, installs them. Where nobody can be asked, it prints the command
# and stops.
install_packages() {
  command -v dpkg-query >/dev/null 2>&1 ||
    fail "this machine has no dpkg: install what docs/building.md lists by the means of your system, then build with: cmake --preset release && ninja -C build/release"
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  say "These packages are missing: ${missing[*]}"
  local command="apt-get install --no-install-recommends ${missing[*]}"
  [ "$(id -u)" = 0 ] || command="sudo $command"
  if ! ask "Install them now ($command)?"; then
    fail "install them with: $command   (or start again with --yes)"
  fi
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
    fail "installing needs root, and there is no sudo here; as root run: apt-get install --no-install-recommends ${missing[*]}"
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >&2 || say "apt-get update failed; trying with the lists that are here"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >&2 ||
    fail "installing failed; the command was: $command"
}

# build PRESET [TARGET…]: configures once (ninja does it again when the build files change) and builds; output on stderr.
# A lock lets several starts at the same time share one build.
build() {
  local preset=$1
  shift
  mkdir -p build
  (
    flock 9
    [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >&2 || exit 1
    ninja -j "$(jobs)" -C "build/$preset" "$@" >&2
  ) 9>"build/$preset.lock"
}
