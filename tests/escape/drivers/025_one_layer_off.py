# case: 25
# title: cases 2, 4 and 7 with seccomp or Landlock left out
# tries: the same attacks, with a test switch that leaves one of the two out
# expect: the other layers still stop them
# layers: -
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import catalogue  # noqa: E402
import escape  # noqa: E402


def run(env):
    if not env.has_switches():
        return "na", "a release reads no test switches"
    told = []
    for layer in ("seccomp", "landlock"):
        client = env.client(settings={"SANDBOX_REQUIRE": "L0"}, switches={"CMCP_TEST_DISABLE_LAYER": layer})
        for attack in catalogue.attacks():
            if attack.case not in (2, 4, 7) or attack.kind == "driver" or not set(attack.layers) - {layer}:
                continue
            for tool in attack.tools:
                outcome, detail = escape.run_attack(attack, tool, client)
                # Another layer refuses in another way; what counts is that it refuses.
                if outcome == "escaped" or outcome == "failed" and not detail.startswith("unexpected"):
                    return outcome, f"without {layer}: {attack.name} [{tool}]: {detail}"
                told.append(attack.name)
    assert len(told) >= 10, told
    return "held", f"{len(told)} runs without seccomp or without Landlock"
