# Put in front of every attack in shell. Needs sh, and nothing else but what a line names. Every program ends with exactly one
# line: ESCAPE-RESULT held|escaped|na DETAIL.
# shellcheck shell=sh
escape_seen=
escape_refused=

note() { echo "ESCAPE-NOTE $*"; }

# wrong WHAT: an escape that held reports at the end; the program goes on.
wrong() { escape_seen="$escape_seen${escape_seen:+; }$*"; }

# refused WHAT COMMAND…: the command must fail; a success is an escape that held reports at the end.
refused() {
  escape_what=$1
  shift
  if escape_said=$("$@" 2>&1 </dev/null); then
    wrong "$escape_what succeeded"
    return 1
  fi
  escape_refused="$escape_refused${escape_refused:+, }$escape_what (${escape_said##*: })"
}

# refused_shell WHAT TEXT: the same for a line of shell, with redirections.
refused_shell() { refused "$1" sh -c "$2"; }

escape_finish() {
  escape_word=$1
  shift
  printf 'ESCAPE-RESULT %s %s\n' "$escape_word" "$(printf %s "$*" | tr '\n' ' ' | cut -c1-800)"
  [ "$escape_word" != escaped ] || exit 3
  exit 0
}

# shellcheck disable=SC2120
held() {
  [ -z "$escape_seen" ] || escape_finish escaped "$escape_seen"
  escape_finish held "${*:-$escape_refused}"
}
escaped() { escape_finish escaped "$*"; }
na() {
  [ -z "$escape_seen" ] || escape_finish escaped "$escape_seen"
  escape_finish na "$*"
}
# -- end of the prelude --
