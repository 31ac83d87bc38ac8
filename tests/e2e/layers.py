#!/usr/bin/env python3
"""layers.py LAYER: with the layer left out by its test switch, the probe fails, `doctor --json` names that layer, and runs are
refused. layers.py --list prints the layers. The switches exist in builds with test switches only."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
sys.path.insert(0, os.path.join(HERE, "..", "cases"))
from deploy_cases import doctor  # noqa: E402
from product import connect  # noqa: E402

LAYERS = ["user_namespace", "mount_namespace", "pid_namespace", "network_namespace", "ipc_namespace", "uts_namespace",
          "cgroup_namespace", "read_only_root", "proc", "capabilities", "no_new_privs", "seccomp", "landlock", "memory_limit",
          "process_limit"]


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(LAYERS))
        return 0
    layer = sys.argv[1]
    switch = {"CMCP_TEST_DISABLE_LAYER": layer}
    status, report = doctor(switch)
    inactive = {entry["name"]: entry for entry in report.get("layers", []) if not entry["active"]}
    print(f"{layer}: level {report['level']}, inactive: {', '.join(inactive) or 'none'}")
    assert status != 0, report
    # A layer that others stand on may take them with it or stop the start; then the report names it as the cause.
    assert layer in inactive or layer in str(report.get("cause", "")), report
    if layer in inactive:
        assert inactive[layer]["detail"], inactive[layer]
    result = connect(extra_env=switch).bash("echo ran")
    assert result.get("refused") and result["code"] == "sandbox_unavailable", result
    return 0


if __name__ == "__main__":
    sys.exit(main())
