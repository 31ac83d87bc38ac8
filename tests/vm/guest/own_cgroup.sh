#!/bin/sh
# The program under test in a cgroup of its own, beside the harness's (into_leaf.sh).
set -eu
unit=$(dirname "/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)")
mkdir "$unit/server-$$"
echo $$ >"$unit/server-$$/cgroup.procs"
exec /opt/cmcp/bin/container-mcp "$@"
