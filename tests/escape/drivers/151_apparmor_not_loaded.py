# case: 151
# title: AppArmor that is not there
# tries: what doctor and the runs say of AppArmor; a label that is claimed is read back inside
# expect: never claimed active where the payload is unconfined; the label of a run is the one that doctor names
# layers: -
import os
import sys

from outside import BOTH, run_program, said
from product import ROOT

sys.path.insert(0, os.path.join(ROOT, "tests/cases"))
from deploy_cases import doctor  # noqa: E402

CODE = """import json
try:
    label = open('/proc/self/attr/apparmor/current').read().strip()
except OSError:
    try:
        label = open('/proc/self/attr/current').read().strip('\\0\\n')
    except OSError as failure:
        label = ''
print(json.dumps(label))
"""


def enabled():
    try:
        with open("/sys/module/apparmor/parameters/enabled") as file:
            return file.read().strip() == "Y"
    except OSError:
        return False


def claims(report):
    """What the report says of AppArmor, as text; empty when it says nothing."""
    told = [str(report[name]) for name in report if "apparmor" in name.lower() and report[name]]
    told += [entry["detail"] for entry in report["layers"] if "apparmor" in entry["name"] and entry["active"]]
    return " ".join(told)


def run(env):
    _, report = doctor()
    told, labels = claims(report), [said(run_program(env.common(), tool, CODE)) for tool in BOTH]
    confined = [label for label in labels if label and not label.startswith("unconfined")]
    if not enabled():
        if confined:
            return "escaped", f"labels without AppArmor: {labels}"
        lowered = told.lower()
        if told and not any(word in lowered for word in ("not", "none", "no ", "absent", "without", "unconfined", "false")):
            return "escaped", f"this kernel runs without AppArmor, and doctor says: {told}"
        return "held", f"no AppArmor in this kernel, none is claimed: {told or 'doctor does not mention it'}"
    if not confined and told and "unconfined" not in told and "not" not in told.lower():
        return "escaped", f"doctor claims {told}; a run is {labels}"
    return "held", f"runs are {labels}; doctor: {told or 'no claim'}"
