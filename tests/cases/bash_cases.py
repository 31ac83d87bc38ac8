"""BASH-*: what a shell call returns, keeps, refuses and leaves behind."""
import os
import threading
import time

from product import (HttpClient, Server, StdioClient, connect, processes_with, wait_for)
from registry import FREE, case, contains, equal, table


# BASH-01: a background job never holds the call ---------------------------------------------------------------------
def returns_before(client, marker_seconds, command, check):
    """The call ends although a job that would run `marker_seconds` is left; no such process survives it."""
    result = client.bash(command, timeout=marker_seconds)
    check(result)
    assert not result["timed_out"], result
    equal(result["exit_code"], 0, "exit_code")
    wait_for(lambda: not processes_with(f"sleep\0{marker_seconds}"), "the left-over job to be gone")


@table("BASH-01", {
    "writing_job": ("sleep 45 & printf 'front finished\\n'", 45, "front finished\n", 1),
    "silent_job": ("sleep 46 >/dev/null & jobs -p >/dev/null; echo fg-done", 46, "fg-done\n", 1),
    "disowned_setsid": ("setsid sleep 47 & disown; echo gone", 47, "gone\n", 1),
    "stdin_closed_job": ("(sleep 48 <&- >&- 2>&-) & echo x", 48, "x\n", 1),
    "two_jobs_and_a_pipe": ("sleep 49 | sleep 49 & echo two", 49, "two\n", 2),
})
def bash_01(row):
    command, seconds, expected, at_least = row
    client = connect(settings=FREE)

    def check(result):
        equal(result["stdout"], expected)
        assert result["killed_processes"] >= at_least, result

    returns_before(client, seconds, command, check)


@case("BASH-01", "ticking_job")
def bash_01_ticking():
    client = connect(settings=FREE)
    result = client.bash("(while :; do echo tick; sleep 0.2; done) & sleep 1; echo fg-done", timeout=100)
    equal(result["exit_code"], 0)
    assert result["stdout"].rstrip().endswith("fg-done"), result
    contains(result["stdout"], "tick")
    assert result["killed_processes"] >= 1 and not result["timed_out"], result


# BASH-03: the time limit ends everything ------------------------------------------------------------------------------
@table("BASH-03", {
    "trapped_children": ("trap '' TERM; for n in 1 2 3; do sh -c 'sleep 203; :' & done; echo begun; wait", "sleep 203"),
    "stopped_child": ("sleep 204 & kill -STOP $!; echo begun; wait", "sleep 204"),
    "double_fork": ("(setsid sh -c 'sleep 205 & sleep 205' &) ; echo begun; sleep 205", "sleep 205"),
    "busy_loop": ("echo begun; while :; do :; done # busy", "sleep 207"),
    "all_signals_ignored": ("trap '' INT TERM HUP QUIT; echo begun; sleep 206; sleep 206", "sleep 206"),
})
def bash_03(row):
    command, marker = row
    server = Server("http", FREE)
    client, other = HttpClient(server), HttpClient(server)
    identifier = client.start_call("system_run_command", {"command": command, "timeout": 1})
    for _ in range(5):
        other.request("ping")
    from product import unpack
    result = unpack(client.wait(identifier))
    equal((result["success"], result["timed_out"], result["exit_code"], result["limit"]), (False, True, 124, "time"))
    equal(result["stdout"], "begun\n", "partial output")
    contains(result["stderr"], "timed out after 1 second")
    assert 900 <= result["duration_ms"], result
    if "busy" in command:
        assert result["usage"]["cpu_ms"] >= 300, result["usage"]
    wait_for(lambda: not processes_with(marker.replace(" ", "\0")), "every descendant to be gone")


# BASH-07: bytes that are not UTF-8 ------------------------------------------------------------------------------------
@table("BASH-07", {
    "bad_bytes_and_nul": (r"printf 'start\n\xff\xfe\x85mid\x00nul\nend\n'", 3, ["start\n", "mid\x00nul", "end\n", "\ufffd"]),
    "cut_character": (r"printf 'a\xe2\x82'", 2, ["a\ufffd"]),
    "surrogate": (r"printf 'x\xed\xa0\x80y'", 3, ["x", "y"]),
    "valid": (r"printf 'é€😀\n'", 0, ["é€😀\n"]),
})
def bash_07(row):
    command, invalid, parts = row
    result = connect(settings=FREE).bash(command)
    equal((result["success"], result["invalid_bytes"]), (True, invalid))
    for part in parts:
        contains(result["stdout"], part)


@case("BASH-07", "random_bytes")
def bash_07_random():
    result = connect(settings=FREE).bash("printf start; head -c 4096 /dev/urandom; printf end")
    assert result["success"] and result["invalid_bytes"] > 500, result["invalid_bytes"]
    assert result["stdout"].startswith("start") and result["stdout"].endswith("end"), result["stdout"][:50]


@case("BASH-07", "ansi_is_removed")
def bash_07_ansi():
    result = connect(settings=FREE).bash(r"printf '\033[31mred\033[0m \033]0;title\007plain\n'")
    equal((result["stdout"], result["invalid_bytes"]), ("red plain\n", 0))


# BASH-09: output without end --------------------------------------------------------------------------------------------
def bounded(client, command, **more):
    server = client.server
    before = server.rss_kb()
    peak = [before]
    stop = threading.Event()

    def sample():
        while not stop.is_set():
            peak[0] = max(peak[0], server.rss_kb())
            time.sleep(0.02)

    thread = threading.Thread(target=sample)
    thread.start()
    result = client.bash(command, **more)
    stop.set()
    thread.join()
    if "ASAN_OPTIONS" not in os.environ:  # the sanitizer's own memory is no measure
        assert peak[0] - before < 40 * 1024, f"server memory grew by {peak[0] - before} kB"
    return result


@case("BASH-09", "two_gigabytes")
def bash_09_two_gigabytes():
    result = bounded(connect(settings=FREE), "yes 0123456789 | head -c 2000000000", timeout=100)
    assert result["truncated"] and result["success"], {k: v for k, v in result.items() if k != "stdout"}
    assert len(result["stdout"]) < 42000
    assert result["stdout"].startswith("0123456789\n") and result["stdout"].endswith("0123456789\n012345678")
    assert 2000000000 - 42000 <= result["omitted_bytes"] <= 2000000000
    equal(result["kept"][0]["bytes"], 16 * 1024 * 1024, "kept up to OUTPUT_KEEP_MB")


@case("BASH-09", "endless")
def bash_09_endless():
    result = bounded(connect(settings=FREE), "yes", timeout=3)
    equal((result["timed_out"], result["truncated"], result["exit_code"]), (True, True, 124))
    assert len(result["stdout"]) < 42000


@case("BASH-09", "the_error_at_the_end_is_seen")
def bash_09_tail():
    result = bounded(connect(settings=FREE), "seq 1 5000000; echo LAST >&2; exit 7", timeout=60)
    equal((result["exit_code"], result["stderr"], result["success"]), (7, "LAST\n", False))
    assert result["stdout"].startswith("1\n2\n") and result["stdout"].endswith("\n5000000\n")
    contains(result["stdout"], str(result["omitted_bytes"]), "the line in the hole names the number")


@case("BASH-09", "kept_output_is_exact")
def bash_09_kept():
    client = connect(settings=FREE)
    result = client.bash("seq 1 30000")
    uri = result["kept"][0]["uri"]
    text = client.request("resources/read", {"uri": uri})["contents"][0]["text"]
    equal(text, "".join(f"{n}\n" for n in range(1, 30001)))


@case("BASH-09", "both_streams_have_the_budget")
def bash_09_both():
    result = connect(settings=FREE).bash("seq 1 30000; seq 1 30000 >&2")
    assert len(result["stdout"]) > 30000 and len(result["stderr"]) > 30000 and len(result["kept"]) == 2, result["kept"]


# BASH-15, BASH-16: the allow-list -------------------------------------------------------------------------------------
SMUGGLED = {
    "newline": ("echo ok\nid", "id"),
    "carriage_return": ("echo ok\r\nid", "id"),
    "background": ("echo ok & id", "id"),
    "pipe_both": ("echo ok |& id", "id"),
    "semicolon": ("echo ok; id", "id"),
    "and": ("ls && id", "id"),
    "or": ("ls /nowhere || id", "id"),
    "pipe": ("echo ok | tee mark9", "tee"),
    "brace_group": ("{ id; }", "id"),
    "subshell": ("(id)", "id"),
    "after_keyword": ("if true; then id; fi", "id"),
    "function_body": ("f() { id; }; f", "id"),
    "assignment_before": ("A=1 id", "id"),
    "redirection_before": (">mark8 id", "id"),
    "quoted_name": ("'i''d'", "id"),
    "escaped_name": ("\\id", "id"),
    "by_path": ("/usr/bin/id", "id"),
    "negated": ("! id", "id"),
    "case_branch": ("case x in x) id;; esac", "id"),
    "through_exec": ("exec id", "id"),
}


@table("BASH-15", SMUGGLED)
def bash_15(row):
    command, named = row
    client = connect(settings={"BASH_ALLOWED_COMMANDS": "echo,ls"})
    result = client.bash(command)
    equal((result["success"], result["exit_code"], result["stdout"]), (False, 126, ""), command)
    contains(result["stderr"], f"Command not allowed: {named}")
    contains(result["stderr"], "Allowed commands: echo, ls")
    equal([e["name"] for e in client.call("file_list")["entries"]], [], "nothing was executed")


HIDDEN = {
    "dollar_paren": "ls $(touch mark1)",
    "backquotes": "ls `touch mark2`",
    "default_value": 'echo "${x:-$(touch mark3)}"',
    "arithmetic": "echo $((a[$(touch mark4)]))",
    "heredoc": "echo <<EOF\n$(touch mark5)\nEOF",
    "process_substitution": "ls <(touch mark6)",
    "redirection_target": "echo x >$(touch mark7)",
    "array_assignment": "a=($(touch mark8)); echo",
    "nested": "echo $(echo $(touch mark9))",
    "here_string": "ls <<<$(touch mark10)",
    "case_word": "case $(touch mark11) in *) echo;; esac",
}


@table("BASH-16", HIDDEN)
def bash_16(command):
    client = connect(settings={"BASH_ALLOWED_COMMANDS": "echo,ls"})
    result = client.bash(command)
    equal((result["success"], result["exit_code"]), (False, 126), command)
    contains(result["stderr"], "Command not allowed: touch")
    equal(client.call("file_list")["entries"], [], "no mark file")


@table("BASH-16", {
    "single_quotes_are_text": ("echo '$(touch mark) `touch mark`; id'", "$(touch mark) `touch mark`; id\n"),
    "quoted_heredoc_is_text": ("echo hi <<'EOF'\n$(touch mark)\nEOF", "hi\n"),
    "comment_is_text": ("echo a # $(touch mark); id", "a\n"),
    "quoted_operator_is_text": ('echo "a; id | b && c"', "a; id | b && c\n"),
    "builtins_stay": ("cd /; x=1; export x; [ $x = 1 ] && true; for i in 1 2; do echo $i; done", "1\n2\n"),
})
def bash_16_allowed(row):
    command, stdout = row
    client = connect(settings={"BASH_ALLOWED_COMMANDS": "echo,ls"})
    result = client.bash(command)
    equal((result["exit_code"], result["stdout"]), (0, stdout), command + result["stderr"])
    equal(client.call("file_list")["entries"], [], "no mark file")


ONLY_THE_KERNEL = {
    **{f"15_{name}": command for name, (command, _) in SMUGGLED.items()},
    **{f"16_{name}": command for name, command in HIDDEN.items()},
    "run_time_word": "c=touch; $c mark",
    "enable_f": "enable -f /usr/lib/bash/mkdir mkdir; mkdir mark",
    "copied_elf": "cat /usr/bin/cat > c; chmod +x c 2>/dev/null; ./c /etc/passwd > mark",
    "loader_on_a_copied_elf": "cat /usr/bin/cat > c; /lib64/ld-linux-x86-64.so.2 ./c /etc/passwd > mark",
    "script_with_shebang": "printf '#!/bin/bash\\necho > mark\\n' > s.sh; ./s.sh",
    "tmp_elf": "cat /usr/bin/cat > /tmp/c; /tmp/c /etc/passwd > mark",
}


@table("BASH-15", {f"kernel_alone_{name}": command for name, command in ONLY_THE_KERNEL.items()})
def bash_15_kernel_alone(command):
    """The same table with the parser switched off (a test switch of dev and asan builds): the kernel's rule stands alone."""
    client = connect(settings={"BASH_ALLOWED_COMMANDS": "echo,ls,cat"}, extra_env={"CMCP_TEST_DISABLE_PARSER": "1"})
    result = client.bash(command)
    # A redirection of the shell's own may create an empty file; what no listed command wrote must be empty or absent.
    for entry in client.call("file_list")["entries"]:
        if entry["name"].startswith("mark"):
            equal(entry["size"], 0, f"{command!r} ran something: {result}")
    assert "uid=" not in result["stdout"], result


# BASH-18: nobody reads the protocol ---------------------------------------------------------------------------------------
@table("BASH-18", {
    "cat": ("cat", {}, "", 0),
    "read_builtin": ('read -r x; echo "got=$x"', {}, "got=\n", 0),
    "python_from_stdin": ("python3 -", {}, "", 0),
    "head": ("head -c 10", {}, "", 0),
    "fd_path": ("cat /dev/stdin /proc/self/fd/0", {}, "", 0),
    "given_stdin": ("cat", {"stdin": "given\n"}, "given\n", 0),
    "large_given_stdin": ("wc -c", {"stdin": "x" * 300000}, "300000\n", 0),
    "unread_stdin": ("echo done", {"stdin": "y" * 300000}, "done\n", 0),
})
def bash_18(row):
    command, more, stdout, code = row
    client = connect(settings=FREE)
    identifier = client.start_call("system_run_command", {"command": command, **more})
    pings = [client.send("ping") for _ in range(20)]
    for ping in pings:
        equal(client.wait(ping), {}, "every ping is answered")
    from product import unpack
    result = unpack(client.wait(identifier))
    equal((result["stdout"], result["exit_code"]), (stdout, code), command)
    equal(client.stray, [], "no byte of the protocol was lost")


# BASH-22: how it ended ---------------------------------------------------------------------------------------------------
@table("BASH-22", {
    "kill": ("echo partial; kill -s KILL $$", 137, "SIGKILL", "partial\n"),
    "term": ("kill -s TERM $$", 143, "SIGTERM", ""),
    "segv_of_a_child": ("sh -c 'kill -s SEGV $$'", 139, None, ""),
    "segv_itself": ("kill -s SEGV $$", 139, "SIGSEGV", ""),
    "sigpipe": ("seq 900000 | head -n 3", 0, None, "1\n2\n3\n"),
    "no_pipefail": ("false | true", 0, None, ""),
    "pipefail": ("set -o pipefail; false | true", 1, None, ""),
    "exit_300": ("exit 300", 44, None, ""),
    "exit_255": ("exit 255", 255, None, ""),
    "not_found": ("nosuchprogram", 127, None, ""),
    "not_executable": ("echo x > f; ./f", 126, None, ""),
    "syntax_error": ("if", 2, None, ""),
    "abort": ("kill -s ABRT $$", 134, "SIGABRT", ""),
})
def bash_22(row):
    command, code, signal_name, stdout = row
    result = connect(settings=FREE).bash(command)
    equal((result["exit_code"], result["stdout"], result["success"]), (code, stdout, code == 0), command)
    # `bash -c` runs a last simple command in its own place: the signal of a child may be seen as the shell's own.
    if signal_name is not None:
        equal(result["signal"], signal_name, command)
    elif code < 128:
        equal(result["signal"], None, command)


# BASH-21: the environment -------------------------------------------------------------------------------------------------
SECRETS = {"MCP_AUTH_TOKEN": "canary-token-1", "OPENAI_API_KEY": "canary-key-2", "AWS_SECRET_ACCESS_KEY": "canary-aws-3",
           "HTTPS_PROXY": "http://u:canary-proxy-4@proxy:1", "BASH_ENV": "/canary-env-6",
           "PYTHONSTARTUP": "/canary-startup-7", "GITHUB_PAT": "canary-pat-8"}


def secretive():
    return connect(settings=FREE, extra_env=SECRETS)


@table("BASH-21", {
    "bash": ("system_run_command", {"command": "env | sort; cat /proc/1/environ | tr '\\0' '\\n'; cat /proc/self/environ"}),
    "python": ("system_run_python", {"code": "import os; print(dict(os.environ)); print(open('/proc/self/environ').read())"}),
    "python_pid_1": ("system_run_python", {"code": "print(open('/proc/1/environ').read())"}),
    "every_readable_proc_file": ("system_run_command", {"command": "cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'"}),
    "env_tool": ("system_env_var", {}),
    "env_tool_by_name": ("system_env_var", {"var_name": "OPENAI_API_KEY"}),
    "env_tool_token": ("system_env_var", {"var_name": "MCP_AUTH_TOKEN"}),
    "env_tool_proxy": ("system_env_var", {"var_name": "HTTPS_PROXY"}),
})
def bash_21(row):
    tool, arguments = row
    client = secretive()
    result = client.call(tool, arguments)
    assert "canary" not in str(result), result
    if "var_name" in arguments:
        equal(result["requested_var"], None)
        assert result["message"], result
    assert not any("canary" in line for line in client.server.log), "a secret is in the log"


@case("BASH-21", "basics_are_there")
def bash_21_basics():
    client = secretive()
    result = client.bash('echo "$HOME|$USER|$LANG|$TERM"; printf é | wc -m; command -v ls; echo ${TMPDIR:?} ${PATH:?} ${TZ:?} >/dev/null')
    lines = result["stdout"].splitlines()
    equal(result["exit_code"], 0, result["stderr"])
    assert all(lines[0].split("|")), lines
    equal((lines[0].split("|")[2:], lines[1]), (["C.UTF-8", "dumb"], "1"))


@table("BASH-21", {f"env_argument_{name}": name for name in
                   ("LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "ENV", "PYTHONSTARTUP", "PYTHONPATH", "GCONV_PATH",
                    "BASH_FUNC_ls%%", "A=B", "")})
def bash_21_env_argument(name):
    result = secretive().bash("echo ran", env={name: "x"})
    assert result.get("refused") and result["code"] == "invalid_argument", result
    if name:
        contains(result["error"], name.split("=")[0])


@case("BASH-21", "env_argument_works")
def bash_21_env_works():
    equal(connect(settings=FREE).bash('echo "$GREETING"', env={"GREETING": "hi é"})["stdout"], "hi é\n")


@case("BASH-21", "env_pass")
def bash_21_env_pass():
    client = connect(settings={**FREE, "SANDBOX_ENV_PASS": "MY_MODE"}, extra_env={"MY_MODE": "fast", "OTHER": "no"})
    equal(client.bash('echo "$MY_MODE/$OTHER"')["stdout"], "fast/\n")
