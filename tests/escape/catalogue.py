"""The attacks of the escape suite as data: what tests/escape/{attacks,drivers} holds, and how a program is sent and judged.
Shared by escape.py, matrix.py and bin/jailcheck; the format is in README.md."""
import os
import re
import shlex

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = range(1, 161)
FIELDS = ("case", "title", "tries", "expect", "layers", "tools", "bound", "settings", "switches", "safe", "timeout")
REQUIRED = ("case", "title", "tries", "expect", "layers")


class Attack:
    """One file: its header as fields, its text, and what the header means."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)
        self.kind = "driver" if os.path.basename(os.path.dirname(path)) == "drivers" else self.name.rsplit(".", 1)[1]
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.header = read_header(self.text, self.name)
        self.case = int(self.header["case"])
        if not self.name.startswith(f"{self.case:03}_"):
            raise ValueError(f"{self.name}: its header says case {self.case}")
        default = "bash" if self.kind == "sh" else "bash python"
        self.tools = ["driver"] if self.kind == "driver" else self.header.get("tools", default).split()
        if self.kind == "sh":
            self.tools = [tool for tool in self.tools if tool == "bash"]
        self.layers = [name for name in re.split(r"[\s,]+", self.header["layers"]) if name and name != "-"]
        self.settings = pairs(self.header.get("settings", ""), self.name)
        self.switches = pairs(self.header.get("switches", ""), self.name)
        self.timeout = int(self.header.get("timeout", "60"))
        # On a foreign host only what changes nothing, floods nothing and fills nothing.
        self.safe = self.header.get("safe", "yes" if self.header.get("bound", "none").startswith("none") else "no").startswith("yes")

    def program(self):
        """The text as it runs inside, with its prelude."""
        prelude = "prelude.sh" if self.kind == "sh" else "prelude.py"
        with open(os.path.join(HERE, prelude), encoding="utf-8") as file:
            return file.read() + self.text


def read_header(text, name):
    header = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        found = re.match(r"#\s*(\w+):\s*(.*)$", line)
        if found and found.group(1) in FIELDS:
            last = found.group(1)
            header[last] = found.group(2).strip()
        elif header and not line.startswith("#!"):  # a row that goes on
            header[last] += " " + line.lstrip("# ").strip()
    missing = [field for field in REQUIRED if not header.get(field)]
    if missing:
        raise ValueError(f"{name}: the header has no {', '.join(missing)}")
    return header


def pairs(text, name):
    found = {}
    for word in shlex.split(text):
        if "=" not in word:
            raise ValueError(f"{name}: {word} is no NAME=VALUE")
        key, value = word.split("=", 1)
        found[key] = value
    return found


def attacks():
    """Every attack and driver, by number and name."""
    found = []
    for folder, endings in (("attacks", (".py", ".sh")), ("drivers", (".py",))):
        directory = os.path.join(HERE, folder)
        for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
            if name.endswith(endings) and re.match(r"\d{3}_", name):
                found.append(Attack(os.path.join(directory, name)))
    return sorted(found, key=lambda attack: (attack.case, attack.name))


def pending():
    """{case: the work it waits for}"""
    rows = {}
    with open(os.path.join(HERE, "pending.txt"), encoding="utf-8") as file:
        for line in file:
            found = re.match(r"(\d+)\s+\[(\w+)\]", line)
            if found:
                rows[int(found.group(1))] = found.group(2)
    return rows


def shell_command(attack, directory="${TMPDIR:-/tmp}"):
    """A line of sh that runs the program from a file of its own and removes it: for any server with a shell."""
    interpreter = "sh" if attack.kind == "sh" else "python3"
    text = attack.program()
    mark = "END_OF_ATTACK"
    assert mark not in text
    return (f'f="{directory}/escape_{attack.case:03}_$$.{attack.kind}"\ncat >"$f" <<\'{mark}\'\n{text}\n{mark}\n'
            f'{interpreter} "$f" </dev/null\ns=$?\nrm -f "$f"\nexit $s\n')


def judge(output, killed_by=None):
    """(held|escaped|na|failed, detail, notes) of what a program printed; `killed_by` is a signal's name, or None."""
    lines = output.splitlines()
    notes = [line[len("ESCAPE-NOTE "):] for line in lines if line.startswith("ESCAPE-NOTE ")]
    results = [found for found in (re.match(r"ESCAPE-RESULT (held|escaped|na)\b ?(.*)$", line) for line in lines) if found]
    announced = [line.split()[1] for line in lines if re.match(r"ESCAPE-EXPECT-KILLED \w+", line)]
    if len(results) > 1:
        return "failed", f"{len(results)} result lines: the program ended more than once", notes
    if not results:
        if killed_by and killed_by in announced:
            return "held", f"killed by {killed_by}, as announced", notes
        return "failed", "no result line; " + (f"killed by {killed_by}; " if killed_by else "") + repr(output[-400:]), notes
    if announced:
        return "escaped", f"announced that {announced[-1]} kills it, and went on: {results[0].group(2)}", notes
    return results[0].group(1), results[0].group(2), notes
