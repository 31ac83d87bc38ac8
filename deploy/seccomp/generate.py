#!/usr/bin/env python3
"""Makes container-mcp.json, a seccomp profile for Docker, Podman and Kubernetes, from calls.txt; --check only compares."""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
EPERM, ENOSYS = 1, 38
# Families between and around these two are allowed: AF_ALG reaches the page cache of files that may only be read, AF_VSOCK the
# host of a virtual machine.
AF_ALG, AF_VSOCK = 38, 40
# The personalities that programs ask for; the others weaken the address space.
PERSONALITIES = (0x0, 0x8, 0x20000, 0x20008, 0xFFFFFFFF)


def calls():
    """{"allow": [...], "build": [...], "refuse": [...]}"""
    found = {"allow": [], "build": [], "refuse": []}
    with open(os.path.join(HERE, "calls.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                word, name = line.split()
                found[word].append(name)
    every = sum(found.values(), [])
    doubled = sorted({name for name in every if every.count(name) > 1})
    if doubled:
        sys.exit(f"calls.txt names twice: {', '.join(doubled)}")
    return found


def allow(names, *arguments):
    rule = {"names": names, "action": "SCMP_ACT_ALLOW"}
    if arguments:
        rule["args"] = [{"index": 0, "value": value, "op": operator} for value, operator in arguments]
    return rule


def profile():
    found = calls()
    rules = [allow(found["allow"]), allow(found["build"]),
             allow(["socket"], (AF_ALG, "SCMP_CMP_LT")),
             allow(["socket"], (AF_ALG + 1, "SCMP_CMP_EQ")),
             allow(["socket"], (AF_VSOCK, "SCMP_CMP_GT"))]
    rules += [allow(["personality"], (value, "SCMP_CMP_EQ")) for value in PERSONALITIES]
    rules.append({"names": found["refuse"], "action": "SCMP_ACT_ERRNO", "errnoRet": EPERM})
    return {"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": ENOSYS,
            "archMap": [{"architecture": "SCMP_ARCH_X86_64", "subArchitectures": []},
                        {"architecture": "SCMP_ARCH_AARCH64", "subArchitectures": []}],
            "syscalls": rules}


def main():
    text = json.dumps(profile(), indent=1) + "\n"
    path = os.path.join(HERE, "container-mcp.json")
    if sys.argv[1:] != ["--check"]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(path, encoding="utf-8") as file:
        if file.read() == text:
            return 0
    print("deploy/seccomp/container-mcp.json is not what calls.txt says: run deploy/seccomp/generate.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
