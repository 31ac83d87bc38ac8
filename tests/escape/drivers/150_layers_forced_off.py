# case: 150
# title: each layer forced off
# tries: leaving out each layer by its test switch, user namespaces denied, no cgroup
# expect: doctor names the layer, the level falls, runs of both tools are refused with the name; without a cgroup another limiter is
#   named and the limits hold
# layers: -
import json
import os
import sys

from product import ROOT

sys.path.insert(0, os.path.join(ROOT, "tests/cases"))
sys.path.insert(0, os.path.join(ROOT, "tests/e2e"))
from deploy_cases import doctor  # noqa: E402
from layers import LAYERS  # noqa: E402


def named(report, layer):
    inactive = {entry["name"]: entry for entry in report.get("layers", []) if not entry["active"]}
    return (layer in inactive and inactive[layer]["detail"]) or layer in str(report.get("cause") or "")


def run(env):
    for layer in LAYERS:
        switch = {"CMCP_TEST_DISABLE_LAYER": layer}
        status, report = doctor(switch)
        if status == 0 or report["ok"] or report["level"] == "L3" or not named(report, layer):
            return "escaped", f"without {layer} doctor says: {json.dumps(report)[:600]}"
        client = env.client(switches=switch)
        for result in (client.bash("echo ran"), client.python("print('ran')")):
            if not result.get("refused") or result["code"] != "sandbox_unavailable" or "ran\n" in json.dumps(result):
                return "escaped", f"without {layer} a run was: {result}"
        client.server.stop()
    status, report = doctor({"CMCP_TEST_DENY_USERNS": "1"})
    assert status != 0 and "user namespace" in json.dumps(report), report
    status, report = doctor({"CMCP_TEST_NO_CGROUP": "1"})
    assert status == 0 and "cgroup" not in report["limiter"].split(",")[0], report["limiter"]
    client = env.client(switches={"CMCP_TEST_NO_CGROUP": "1"})
    result = client.python("x = []\nwhile True: x.append(bytearray(b'1') * (1 << 20))")
    assert result["limit"] == "memory" or "MemoryError" in result["error"], result
    return "held", f"{len(LAYERS)} layers, each named and runs refused; without a cgroup: {report['limiter']}"
