# Read by the clients' run scripts, in the client's folder: what is built already is not built again.

# The time in packages, in seconds, as in java/pom.xml, so that a second build gives the same bytes.
export SOURCE_DATE_EPOCH=1795228800
# Packages have the modes of files, too.
umask 022

# alone COMMAND…: one command of a client at a time, because test files that run at once may need the same build.
# Without flock they must not run at once.
alone() {
  exec 9<run
  if command -v flock >/dev/null; then flock 9; fi
  "$@" 9<&-
  exec 9<&-
}

# once STAMP VERSION COMMAND…: runs the command, unless it came to its end with the client's files as they are, and
# with this version of its tool. The file STAMP says so, and lies beside what the command makes.
once() { alone unless_made "$@"; }

unless_made() {
  stamp=$1
  made="$2 $(find . \( -name dist -o -name target -o -name vendor -o -name node_modules -o -name __pycache__ \) -prune \
    -o -type f -print | LC_ALL=C sort | xargs cksum | cksum)"
  shift 2
  if [ ! -e "$stamp" ] || [ "$(cat "$stamp")" != "$made" ]; then
    rm -f "$stamp"
    "$@"
    printf '%s\n' "$made" >"$stamp"
  fi
}
