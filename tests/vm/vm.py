#!/usr/bin/env python3
"""The product on another machine: Debian 12 with its stock kernel and systemd, booted by qemu in software emulation.

  vm.py                every step (bin/test vm)
  vm.py --short        boot, doctor, AppArmor and a selection of the escape suite
  vm.py --steps A,B    only these steps (the names that it prints)
  vm.py --shell        boots and gives the serial console, for looking around; Ctrl-A X ends it

What the developer's machine cannot show is shown here: AppArmor that enforces, cgroup v2 delegated by systemd, Landlock ABI 2,
a kernel of 2022, Podman. The machine is made by image.sh and kept below build/vm; the programs and tests come by a second
disk that is made anew each time; nothing that the machine writes is kept. Results come over its second serial line, a JSON
object a line. The last line of output is a count; the exit status is 0 only when every step came and held.
"""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
STORE = os.path.join(ROOT, "build/vm")
QEMU = "qemu-system-x86_64"
MEMORY_MB = 2048
SHORT_LIMIT, LIMIT = 15 * 60, 150 * 60  # seconds until a machine that says nothing more is given up
PROGRAMS = ("container-mcp", "libexec/cmcp-launcher", "libexec/cmcp-init", "libexec/cmcp-probe")


def fail(reason):
    print(f"FAILED: {reason}")
    print("vm: 0 passed, 1 failed")
    sys.exit(1)


def need_tools():
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [name for name in (QEMU, "mmdebstrap", "mke2fs") if not shutil.which(name)]
    if missing:
        fail(f"the test machine cannot be made: {', '.join(missing)} not installed; `bin/test vm --yes` installs "
             "qemu-system-x86, mmdebstrap and e2fsprogs")
    if os.geteuid() != 0:
        fail("making the test machine needs root: mmdebstrap and mke2fs keep the owners of its files")


def make_image():
    """The directory with root.img, vmlinuz and initrd."""
    done = subprocess.run([os.path.join(HERE, "image.sh"), STORE], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        fail("tests/vm/image.sh could not make the machine's root; its last lines are above")
    return done.stdout.split()[-1]


def stage_disk(directory, options):
    """A disk with the programs under test (without debug information), the tests, and the machine's orders."""
    stage = os.path.join(directory, "stage")
    binaries = os.path.dirname(options.binary)
    for program in PROGRAMS:
        source, target = os.path.join(binaries, program), os.path.join(stage, "bin", program)
        if not os.path.exists(source):
            fail(f"{source} is not built")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        subprocess.run(["strip", "--strip-debug", "-o", target, source], check=True)
        os.chmod(target, 0o755)
    for name in ("tests", "deploy", "config"):
        shutil.copytree(os.path.join(ROOT, name), os.path.join(stage, name), ignore=shutil.ignore_patterns("__pycache__"))
    os.makedirs(os.path.join(stage, "top-bin"))
    # Beside deploy/, where it looks for its templates.
    shutil.copy2(os.path.join(ROOT, "bin/apparmor-profile"), os.path.join(stage, "top-bin/apparmor-profile"))
    with open(os.path.join(stage, "orders.json"), "w", encoding="utf-8") as file:
        json.dump({"short": options.short, "steps": options.steps, "shell": options.shell}, file)
    disk = os.path.join(directory, "tests.img")
    subprocess.run(["truncate", "-s", "192M", disk], check=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-E", "root_owner=0:0", "-d", stage, disk], check=True)
    shutil.rmtree(stage)
    return disk


def command(image, disk, results, console):
    return [QEMU, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", str(MEMORY_MB), "-display", "none", "-no-reboot",
            "-nodefaults", "-kernel", f"{image}/vmlinuz", "-initrd", f"{image}/initrd",
            "-append", "root=/dev/vda rw console=ttyS0 quiet apparmor=1 security=apparmor systemd.show_status=0 mitigations=off "
                       "panic=-1 loglevel=4 audit_backlog_limit=8192 net.ifnames=0",
            "-drive", f"file={image}/root.img,format=raw,if=virtio,snapshot=on",
            "-drive", f"file={disk},format=raw,if=virtio,readonly=on",
            "-serial", console, "-serial", f"file:{results}"]


class Machine:
    """The running emulator: its results as they come."""

    def __init__(self, image, disk, directory):
        self.results = os.path.join(directory, "results")
        self.console = os.path.join(directory, "console.log")
        open(self.results, "wb").close()
        # Whatever ends this program ends the machine.
        emulator = ["setpriv", "--pdeathsig", "KILL", "--", *command(image, disk, self.results, f"file:{self.console}")]
        self.process = subprocess.Popen(emulator, stdin=subprocess.DEVNULL, start_new_session=True)

    def lines(self, limit):
        """Each complete line of results, until the machine is off or `limit` seconds have passed (then None, once)."""
        end = time.monotonic() + limit
        kept = ""
        with open(self.results, encoding="utf-8", errors="replace") as file:
            while True:
                ended = self.process.poll() is not None
                kept += file.read()
                *whole, kept = kept.split("\n")
                yield from (line.strip() for line in whole if line.strip())
                if ended:
                    return
                if time.monotonic() > end:
                    yield None
                    return
                time.sleep(0.2)

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def last_words(self):
        with open(self.console, encoding="utf-8", errors="replace") as file:
            return file.read()[-6000:]


def report(entry, counts):
    """Prints one result and counts it."""
    if "step" not in entry:
        print(entry.get("note", json.dumps(entry)), flush=True)
        return
    counts["failed" if not entry["held"] else "passed"] += 1
    print(f"{'ok    ' if entry['held'] else 'FAILED'} {entry['step']:<44} {entry['seconds']:7.1f} s  {entry.get('detail', '')}",
          flush=True)


def follow(machine, limit):
    """True when every announced step came and held."""
    counts = {"passed": 0, "failed": 0}
    ended = False
    for line in machine.lines(limit):
        if line is None:
            print(f"FAILED: the machine did not end within {limit} s")
            break
        try:
            entry = json.loads(line)
        except ValueError:
            print(f"? {line}")
            continue
        if "end" in entry:
            ended = entry["end"] == counts["passed"] + counts["failed"] and entry["end"] > 0
        else:
            report(entry, counts)
    machine.stop()
    if not ended:
        counts["failed"] += 1
        print("FAILED: the machine ended before its tests did; the end of its console:\n" + machine.last_words())
    print(f"vm: {counts['passed']} passed, {counts['failed']} failed")
    return counts["failed"] == 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--steps", default="")
    parser.add_argument("--shell", action="store_true")
    parser.add_argument("--binary", default=os.environ.get("CMCP_BINARY", os.path.join(ROOT, "build/dev/container-mcp")))
    return parser.parse_args()


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    need_tools()
    began = time.monotonic()
    image = make_image()
    directory = tempfile.mkdtemp(prefix="run-", dir=STORE)
    try:
        disk = stage_disk(directory, options)
        print(f"image and disk: {time.monotonic() - began:.0f} s", flush=True)
        if options.shell:
            return subprocess.run(command(image, disk, "/dev/null", "mon:stdio")).returncode
        machine = Machine(image, disk, directory)
        try:
            held = follow(machine, SHORT_LIMIT if options.short else LIMIT)
        finally:
            machine.stop()
            shutil.copy2(machine.console, os.path.join(STORE, "console.log"))
        print(f"took {time.monotonic() - began:.0f} s, with the image")
        return 0 if held else 1
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
