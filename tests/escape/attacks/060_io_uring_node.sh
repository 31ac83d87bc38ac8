# case: 60
# title: node starts where io_uring is refused
# tries: node with a timer, a file and a child process, which libuv would do by io_uring where it can
# expect: it works
# layers: -
# tools: bash
# bound: none
command -v node >/dev/null 2>&1 || na "there is no node on this machine"
said=$(node -e '
const fs = require("fs"), child = require("child_process");
setTimeout(() => fs.readFile("/etc/hostname", () => child.exec("echo child", (e, out) => console.log(e ? String(e) : "up " + out))), 1);
' 2>&1)
[ "$said" = "up child" ] || escaped "node does not start: $said"
held "node reads a file and starts a child"
