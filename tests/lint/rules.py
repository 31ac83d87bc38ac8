"""The tree's rules that a compiler does not know: rules.py RULE. Prints each finding as FILE:LINE: text; 1 when there is one.

Works on the files that git tracks (all files of the tree where there is no git).
"""

import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def tracked_files():
    """Paths below TOP, sorted: tracked or not yet added, never what git ignores."""
    listing = subprocess.run(["git", "-C", TOP, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, check=False)
    if listing.returncode == 0 and listing.stdout:
        names = listing.stdout.decode(errors="surrogateescape").split("\0")
        return sorted(name for name in names if name and os.path.isfile(os.path.join(TOP, name)))
    found = []
    for directory, directories, files in os.walk(TOP):
        directories[:] = [d for d in directories if d not in (".git", "build", "node_modules", "__pycache__")]
        found += [os.path.relpath(os.path.join(directory, name), TOP) for name in files]
    return sorted(found)


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def without_comments_and_strings(text):
    """C++ text with comments and literals blanked, lines kept."""
    pattern = re.compile(r'R"([^()\\ ]{0,16})\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*(?:.|\n)*?\*/')
    return pattern.sub(lambda match: "\n" * match.group().count("\n") + " ", text)


def matches(name, text, pattern, what):
    return [f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {what.format(match.group().strip())}"
            for match in pattern.finditer(text)]


def forbidden_calls():
    """No call that cannot be used safely, no throw, and one reader of the environment."""
    # The word boundary would also match a member: `x.system(` is somebody else's function.
    calls = re.compile(r"(?<![\w.>])(?:system|popen|sprintf|vsprintf|strcpy|strcat|gets)\s*\(")
    environment = re.compile(r"\b(?:secure_)?getenv\s*\(")
    throws = re.compile(r"\bthrow\b")
    findings = []
    for name in tracked_files():
        if not name.startswith("src/") or not name.endswith((".cc", ".h", ".c")):
            continue
        text = without_comments_and_strings(read(name))
        # `Type system(…)` declares an object or function of ours.
        text_without_declarations = re.sub(r"(?<!\breturn)(?<!\belse)(?<=[\w>&*])([ \t]+)system\s*\(", r"\1declared(", text)
        findings += matches(name, text_without_declarations, calls, "{} is forbidden")
        if name.endswith("_test.cc"):
            continue
        findings += matches(name, text, throws, "{}: errors are Result values")
        if name != "src/config/env.cc":
            findings += matches(name, text, environment, "{}: config/env.cc alone reads the environment")
    return findings


def rooms_documented():
    """Every room is named in docs/ARCHITECTURE.md."""
    text = read("docs/ARCHITECTURE.md")
    return [f"docs/ARCHITECTURE.md: the room {os.path.dirname(name)[4:]} is missing"
            for name in tracked_files()
            if re.fullmatch(r"src/.+/CMakeLists\.txt", name) and f"`{os.path.dirname(name)[4:]}`" not in text]


def header_comments():
    """A header says first what it is."""
    return [f"{name}:1: a header begins with a comment that says what it is"
            for name in tracked_files()
            if name.startswith("src/") and name.endswith(".h") and not read(name).startswith("//")]


def machine_hosts():
    """The hosts of package registries that this machine is set up for; they change from machine to machine."""
    texts = []
    for command in (["npm", "config", "get", "registry"], ["pip", "config", "get", "global.index-url"]):
        try:
            texts.append(subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout)
        except (OSError, subprocess.TimeoutExpired):
            continue
    for directory, _, files in os.walk("/etc/apt"):
        for name in files:
            if name.endswith((".list", ".sources")):
                try:
                    with open(os.path.join(directory, name), encoding="utf-8", errors="replace") as file:
                        texts.append(file.read())
                except OSError:
                    continue
    return sorted({host for text in texts for host in re.findall(r"https?://([\w.-]+\.[a-z]+)", text)})


def machine_names():
    """No tracked file names a path of the machine it was written on, or a package registry's host."""
    words = machine_hosts()
    above = os.path.dirname(TOP)
    # A tree directly below one of these says nothing about a machine.
    if above not in ("/", "/tmp", "/home", "/root", "/opt", "/srv", "/var/tmp", "/usr/src", "/app"):
        words.append(above + "/")
    if not words:
        return []
    pattern = re.compile("|".join(re.escape(word) for word in words))
    return [finding for name in tracked_files() for finding in matches(name, read(name), pattern, "names {}")]


def links():
    """A relative link of a document leads to a file."""
    findings = []
    for name in tracked_files():
        if not name.endswith(".md"):
            continue
        text = re.sub(r"```.*?```", lambda block: "\n" * block.group().count("\n"), read(name), flags=re.DOTALL)
        for match in re.finditer(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            target = match.group(1)
            if re.match(r"[a-z]+:", target):
                continue
            if not os.path.exists(os.path.join(TOP, os.path.dirname(name), target)):
                findings.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: there is no {target}")
    return findings


RULES = {rule.__name__: rule for rule in (forbidden_calls, rooms_documented, header_comments, machine_names, links)}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in RULES:
        print(f"usage: rules.py {'|'.join(RULES)}", file=sys.stderr)
        return 2
    findings = RULES[sys.argv[1]]()
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
