# case: 159
# title: ways around the list of commands
# tries: with the default list: chains, substitutions, newlines, here-documents, env, exec, eval, functions, aliases, copied programs, the
#   loader, enable -f, scripts, /proc/self/exe, hash -p, command -p, coproc, process substitution, printf -v, BASH_CMDS
# expect: no program outside the list runs, and nothing is harmed: the list is no boundary, the sandbox stands behind it
# layers: landlock
# settings: COMMAND_RESTRICTED=true
import os

WAYS = ["ls; id", "ls && id", "ls | id", "ls & id", "$(id)", "`id`", "echo $(id)", "ls\nid", "cat <<X\n$(id)\nX", "env id", "env bash -c id",
        "bash -c id", "sh -c id", "exec id", "eval id", "command id", "command -p id", "builtin id", "x=id; $x", "i''d", "\\id", "/usr/bin/id",
        "../usr/bin/id", "f() { id; }; f", "alias ls=id; shopt -s expand_aliases\nls", "hash -p /usr/bin/id ls; ls", "BASH_CMDS[ls]=/usr/bin/id; ls",
        "PATH=/usr/sbin:/usr/bin id", "coproc id; cat <&${COPROC[0]}", "cat <(id)", "find / -maxdepth 0 -exec id \\;", "find . -maxdepth 0 -execdir id \\;",
        "/lib64/ld-linux-x86-64.so.2 /usr/bin/id", "/proc/self/exe -c id", "cat /usr/bin/id > x; ./x", "cat /usr/bin/id > /tmp/x; /tmp/x",
        "cat /usr/bin/id > /dev/shm/x; /dev/shm/x", "printf '#!/usr/bin/id\\n' > s; ./s", ". /dev/stdin <<< id", "source <(echo id)",
        "enable -f /usr/lib/bash/sleep sleep; sleep 0; id", "trap id EXIT", "trap id DEBUG; ls", "PROMPT_COMMAND=id; ls", "PS4='$(id)'; set -x; ls",
        "echo id | bash", "echo ${x:-$(id)}", "echo $((a[$(id)]))", "[[ -v a[$(id)] ]]", "case $(id) in *) ;; esac", "time id", "! id", "nohup id",
        "xargs id < /dev/null", "timeout 1 id", "setsid id", "grep -r x --include=$(id) .", "read -r x < <(id); echo $x", "mapfile -C id -c 1 < /dev/null; mapfile -C id -c 1 <<< x",
        "complete -C id x; compgen -C id", "bind -x '\"x\":id'", "exec -a ls id", "exec 3<>/dev/tcp/1.1.1.1/80", "rm -rf /", "ls; rm -rf / --no-preserve-root"]


def run(env):
    client = env.common()
    keep = os.path.join(client.server.workspace, "keep.txt")
    assert client.call("file_write", {"path": "keep.txt", "content": "keep"})["success"]
    for command in WAYS:
        result = client.bash(command, timeout=20)
        told = str(result.get("stdout", "")) + str(result.get("stderr", ""))
        if "uid=" in told or "groups=" in told:
            return "escaped", f"{command!r} ran id: {told[:200]}"
        with open(keep) as file:
            assert file.read() == "keep", command
    assert client.bash("cat keep.txt")["stdout"] == "keep"
    return "held", f"{len(WAYS)} ways, none ran a program outside the list"
