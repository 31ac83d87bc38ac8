#!/usr/bin/env python3
"""The escape suite's own judgement: what counts as held, and that nothing else does."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import catalogue  # noqa: E402
import escape  # noqa: E402

HEADER = "# case: 7\n# title: a title\n#   that goes on\n# tries: something\n# expect: EPERM\n# layers: seccomp capabilities\n# settings: A=1 B='x y'\n"


def judgement():
    for output, killed, expected in (
            ("ESCAPE-RESULT held fine\n", None, "held"), ("text\nESCAPE-RESULT na no such thing\n", None, "na"),
            ("ESCAPE-RESULT escaped it wrote\n", None, "escaped"), ("", None, "failed"), ("ESCAPE-RESULT\n", None, "failed"),
            (" ESCAPE-RESULT held\n", None, "failed"), ("ESCAPE-RESULT heldup\n", None, "failed"),
            ("ESCAPE-RESULT held a\nESCAPE-RESULT held b\n", None, "failed"), ("", "SIGSYS", "failed"),
            ("ESCAPE-EXPECT-KILLED SIGSYS\n", "SIGSYS", "held"), ("ESCAPE-EXPECT-KILLED SIGSYS\n", "SIGKILL", "failed"),
            ("ESCAPE-EXPECT-KILLED SIGSYS\n", None, "failed"), ("ESCAPE-EXPECT-KILLED SIGSYS\nESCAPE-RESULT held alive\n", None, "escaped")):
        outcome, detail, _ = catalogue.judge(output, killed)
        assert outcome == expected and detail, (output, killed, outcome, detail)
    assert catalogue.judge("ESCAPE-NOTE unexpected: x\nESCAPE-RESULT held y\n")[2] == ["unexpected: x"]


def programs():
    """(outcome, notes) of small programs behind the preludes."""
    for text, expected in (("held()", "held"), ("refused('a', (-1, 'EPERM'), 'EPERM')\nheld()", "held"),
                           ("refused('a', (3, ''), 'EPERM')\nheld('all well')", "escaped"), ("wrong('w')\nna('n')", "escaped"),
                           ("refused('a', lambda: open('/nothing/here'), 'ENOENT')\nheld()", "held"), ("raise OSError()", "failed"),
                           ("refused('a', syscall('close', 999), 'EBADF')\nheld()", "held"), ("", "failed"), ("na('here')", "na"),
                           ("expect_killed('SIGKILL')\nos.kill(os.getpid(), 9)", "held"), ("os.kill(os.getpid(), 9)", "failed")):
        assert run("py", text)[0] == expected, (text, run("py", text))
    assert run("py", "refused('a', (-1, 'EIO'), 'EPERM')\nheld()")[2] == ["unexpected: a gave EIO, not EPERM"]
    for text, expected in (("held", "held"), ("refused x false\nheld", "held"), ("refused x true\nheld", "escaped"), ("exit 0", "failed"),
                           ("wrong w\nheld", "escaped"), ("na here", "na"), ("refused_shell x ': > /nothing/here'\nheld", "held")):
        assert run("sh", text)[0] == expected, (text, run("sh", text))


def run(kind, text):
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, f"007_test.{kind}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(HEADER + text + "\n")
        attack = catalogue.Attack(path)
        done = subprocess.run(["sh", "-c", catalogue.shell_command(attack, directory)], capture_output=True, text=True, check=False)
        assert os.listdir(directory) == [os.path.basename(path)] or done.returncode > 128, os.listdir(directory)
    return catalogue.judge(done.stdout, escape.signal_of({"exit_code": done.returncode}))


def headers():
    header = catalogue.read_header(HEADER, "x")
    assert header["title"] == "a title that goes on" and catalogue.pairs(header["settings"], "x") == {"A": "1", "B": "x y"}, header
    for text in ("held()", HEADER.replace("# expect: EPERM\n", ""), "\n" + HEADER):
        try:
            catalogue.read_header(text, "x")
        except ValueError as wrong:
            assert "the header has no" in str(wrong), wrong
            continue
        raise AssertionError(text)
    assert escape.spans([1, 2, 3, 7, 9, 10]) == "1-3, 7, 9-10"
    for attack in catalogue.attacks():
        compile(attack.text, attack.name, "exec") if attack.path.endswith(".py") else None
        assert attack.tools and 1 <= attack.case <= 199, attack.name  # from 161 on: what was found beside the table


def main():
    for test in (judgement, programs, headers):
        test()
        print(f"passed: {test.__name__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
