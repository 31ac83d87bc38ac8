#!/usr/bin/env python3
"""The escape suite: every attack of tests/escape against the real product, through its own tools.

  escape.py [--only NNN[,NNN]] [--part A-B] [--long] [--environment NAME] [--update] [--allow-missing]
  escape.py --check            only what is covered, pending and missing; starts nothing but a look at tools/list

Prints a line a case and tool, then what applied, held and did not apply; the counts must be those of tests/golden/escape.txt.
CMCP_TEST_IDENTITY decides how the server starts, and with it the name of the environment (root, user).
"""
import argparse
import atexit
import os
import resource
import signal
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
sys.path.insert(0, HERE)
import catalogue  # noqa: E402
from product import ROOT, Scratch, Server, StdioClient, connect, identity, wait_for  # noqa: E402

GOLDEN = os.path.join(ROOT, "tests/golden/escape.txt")
# The allow-list is a filter for usability and no boundary (case 159); it would only hide what stands behind it.
FREE = {"COMMAND_RESTRICTED": "false", "FILE_ALLOWED_EXTENSIONS": "*"}


class Environment:
    """What a driver is given. Servers that it starts end with it."""

    def __init__(self, mode, long_form, settings=None, switches=None):
        self.mode = mode
        self.long = long_form
        self.settings = {**FREE, **(settings or {})}
        self.switches = switches or {}
        self.started = []
        self.shared = None

    def client(self, settings=None, switches=None, **more):
        """A connected client of a new server; `settings` on top of the suite's own. Other arguments are Server's."""
        extra = {**self.switches, **(switches or {}), **more.pop("extra_env", {})}
        client = StdioClient(Server("stdio", {**self.settings, **(settings or {})}, extra_env=extra, **more))
        self.started.append(client)
        return client

    def common(self):
        """The client that the cases of this environment share."""
        if self.shared is None or self.shared.server.process.poll() is not None:
            self.shared = self.client()
        return self.shared

    def bash(self, command, **arguments):
        return self.common().bash(command, **arguments)

    def python(self, code, **arguments):
        return self.common().python(code, **arguments)

    def has_switches(self):
        """Whether the program under test reads test switches; a release reads none. With a layer left out it refuses to run."""
        client = self.client(switches={"CMCP_TEST_DISABLE_LAYER": "landlock"})
        return bool(client.bash("true").get("refused"))

    @property
    def workspace(self):
        return self.common().server.workspace

    def outside(self):
        """A directory of the host that no sandbox may reach; removed at the end."""
        return Scratch().path

    def stop(self):
        for client in self.started:
            client.server.stop()
        self.started, self.shared = [], None


def signal_of(result):
    """The name of the signal that ended the program, or None."""
    if result.get("signal"):
        value = result["signal"]
        return value if isinstance(value, str) else signal.Signals(value).name
    code = result.get("exit_code") or 0
    try:
        return signal.Signals(code - 128).name if code > 128 else None
    except ValueError:
        return None


def run_attack(attack, tool, client):
    """(outcome, detail) of one program through one tool."""
    arguments = {"timeout": attack.timeout}
    if tool == "bash":
        result = client.bash(catalogue.shell_command(attack), **arguments)
    else:
        result = client.python(attack.program(), **arguments)
    if result.get("refused"):
        return "failed", f"the run was refused: {result.get('error')}"
    output = result.get("stdout", result.get("output", ""))
    outcome, detail, notes = catalogue.judge(output, signal_of(result))
    if outcome == "failed":
        detail += " stderr: " + repr((result.get("stderr") or result.get("error") or "")[-600:])
        detail += f" timed_out={result.get('timed_out')} limit={result.get('limit')}"
    unexpected = [note for note in notes if note.startswith("unexpected")]
    if outcome == "held" and unexpected:
        return "failed", "; ".join(unexpected)
    return outcome, detail


def run_driver(attack, env):
    names = {"__name__": "driver_" + attack.name[:-3], "__file__": attack.path}
    exec(compile(attack.text, attack.path, "exec"), names)
    return names["run"](env)


def run_one(attack, tool, env):
    """(held|escaped|na|failed, detail); never raises."""
    try:
        if attack.kind == "driver":
            outcome, detail = run_driver(attack, env)
        else:
            outcome, detail = run_attack(attack, tool, env.common())
        assert outcome in ("held", "escaped", "na", "failed"), outcome
        return outcome, " ".join(str(detail).split())
    except Exception as failure:  # every case is tried
        where = traceback.extract_tb(failure.__traceback__)[-1]
        return "failed", f"{type(failure).__name__} at {os.path.basename(where.filename)}:{where.lineno}: {failure}"


def key_of(attack):
    """Cases of one configuration share a server."""
    return (tuple(sorted(attack.settings.items())), tuple(sorted(attack.switches.items())))


def run_all(attacks, mode, long_form, switches):
    """[(attack, tool, outcome, detail)]"""
    results = []
    for key in sorted({key_of(attack) for attack in attacks}):
        env = Environment(mode, long_form, dict(key[0]), {**switches, **dict(key[1])})
        atexit.register(env.stop)
        for attack in attacks:
            if key_of(attack) != key:
                continue
            for tool in attack.tools:
                # A driver stops and kills what it likes; it begins with a server of its own.
                own = Environment(mode, long_form, dict(key[0]), env.switches) if attack.kind == "driver" else env
                outcome, detail = run_one(attack, tool, own)
                if attack.kind == "driver":
                    own.stop()
                results.append((attack, tool, outcome, detail))
                print(f"{outcome:7} {attack.name} [{tool}] {detail[:1500]}", flush=True)
        still_serves(env)
        env.stop()
    return results


def still_serves(env):
    """After the attacks the server works as before, and nothing of them runs below it."""
    client = env.common()
    assert client.bash("echo ok")["stdout"] == "ok\n"
    idle = len(env.client().server.descendants())
    wait_for(lambda: len(client.server.descendants()) <= max(idle, 2), "nothing of the attacks below the server")


def coverage(allow_missing):
    """[what is wrong] with the table: every number has a file or a pending row, and no pending row outlives its work."""
    files = {attack.case for attack in catalogue.attacks()}
    rows = catalogue.pending()
    wrong = [f"case {case} is pending and has an attack" for case in sorted(files & set(rows))]
    works = {"web": web_exists, "run": run_exists}
    for name in sorted(set(rows.values())):
        if name not in works:
            wrong.append(f"pending.txt waits for [{name}], which nobody knows")
        elif works[name]():
            wrong.append(f"the work [{name}] exists; its pending rows must become attacks")
    missing = [case for case in catalogue.CASES if case not in files and case not in rows]
    if missing:
        text = f"{len(missing)} cases have neither an attack nor a pending row: {spans(missing)}"
        print("MISSING: " + text, flush=True)
        if not allow_missing:
            wrong.append(text)
    print(f"cases: {len(files)} with attacks, {len(rows)} pending ({', '.join(sorted(set(rows.values())))}), {len(missing)} missing")
    return wrong


def web_exists():
    client = connect(settings=FREE)
    names = [tool["name"] for tool in client.request("tools/list")["tools"]]
    client.server.stop()
    return "web_scrape" in names


def run_exists():
    with open(os.path.join(ROOT, "tests/golden/not_built_settings.txt"), encoding="utf-8") as file:
        return "PYTHON_POOL_SIZE" not in file.read().split()


def spans(numbers):
    """1, 2, 3, 7 as "1-3, 7"."""
    parts = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def count_line(environment, part, results):
    outcomes = [outcome for _, _, outcome, _ in results]
    na = outcomes.count("na")
    return f"{environment} {part}: {len(results) - na} applied, {outcomes.count('held')} held, {na} not applicable"


def compare_with_golden(line, update):
    """[what is wrong]; with `update` the golden file gets the line instead."""
    key = line.split(":")[0]
    with open(GOLDEN, encoding="utf-8") as file:
        lines = file.read().splitlines()
    known = [golden for golden in lines if golden.split(":")[0] == key]
    if update:
        rest = [golden for golden in lines if golden.split(":")[0] != key and not golden.startswith("#")]
        comments = [golden for golden in lines if golden.startswith("#")]
        with open(GOLDEN, "w", encoding="utf-8") as file:
            file.write("\n".join(comments + sorted(rest + [line])) + "\n")
        return []
    if not known:
        return [f"tests/golden/escape.txt has no line for {key}; it would be: {line}"]
    return [] if known == [line] else [f"counts: {line}; tests/golden/escape.txt has: {known[0]} (see --update)"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="case numbers, or the beginning of a file's name")
    parser.add_argument("--part", default="001-199", help="a range of cases, as 001-026")
    parser.add_argument("--environment", default=os.environ.get("CMCP_ESCAPE_ENVIRONMENT"), help="its name in the golden file")
    parser.add_argument("--switch", action="append", default=[], help="a test switch NAME=VALUE for every server")
    parser.add_argument("--long", action="store_true", help="the long form of the races")
    parser.add_argument("--update", action="store_true", help="write the counts to the golden file")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--allow-missing", action="store_true", help="say which cases are missing, without failing")
    return parser.parse_args()


def chosen(options):
    first, last = (int(number) for number in options.part.split("-"))
    found = [attack for attack in catalogue.attacks() if first <= attack.case <= last]
    if options.only:
        words = options.only.split(",")
        found = [attack for attack in found
                 if any(attack.name.startswith(word.zfill(3) if word.isdigit() else word) for word in words)]
    return found


def main():
    options = arguments()
    mode = options.environment or identity()
    wrong = [] if options.only else coverage(options.allow_missing)
    if options.check:
        print("\n".join("FAILED: " + text for text in wrong))
        return 1 if wrong else 0
    # Should a limit of the product fail, the host still has one.
    resource.setrlimit(resource.RLIMIT_NPROC, (6000, 6000))
    results = run_all(chosen(options), mode, options.long, dict(word.split("=", 1) for word in options.switch))
    print()
    for attack, tool, outcome, detail in results:
        if outcome == "na":
            print(f"not applicable here: {attack.name} [{tool}]: {detail}")
    for attack, tool, outcome, detail in results:
        if outcome in ("escaped", "failed"):
            print(f"{outcome.upper()}: case {attack.case} {attack.header['title']}: {attack.name} [{tool}]: {detail}")
    line = count_line(mode, options.part, results)
    print(line)
    if not results and not options.allow_missing:
        wrong.append("no attack was run")
    elif results and not options.only:
        wrong += compare_with_golden(line, options.update)
    print("\n".join("FAILED: " + text for text in wrong))
    bad = [row for row in results if row[2] in ("escaped", "failed")]
    return 1 if bad or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
