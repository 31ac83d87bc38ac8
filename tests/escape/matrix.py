#!/usr/bin/env python3
"""Defence in depth: with one layer at a time left out by a test switch, every attack that names other layers too must still be
refused by them.

  matrix.py [LAYER…] [--list]

The `layers:` line of an attack is the data: each layer that it names claims to stop it alone. An attack that names the layer
that is left out and another one must still hold; one that names this layer alone is tried as well, to see that the claim is not
empty: it is listed as held only by this layer, or as held by layers that do not claim it. Prints the table and fails when a
claim does not hold. Needs a build with test switches.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import catalogue  # noqa: E402
import escape  # noqa: E402
from product import identity  # noqa: E402

sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
from layers import LAYERS  # noqa: E402


def tried(attack, layer):
    """Programs alone: a driver chooses its own servers and switches. What only the missing layer would stop must be harmless:
    this runs on the machine of whoever runs the tests."""
    if attack.kind == "driver" or attack.switches or layer not in attack.layers:
        return False
    return len(attack.layers) > 1 or attack.safe


def outcome_of(attack, client):
    """held, escaped or failed; another layer may refuse in another way than the header expects."""
    tool = "bash" if "bash" in attack.tools else attack.tools[0]
    outcome, detail = escape.run_attack(attack, tool, client)
    if outcome == "failed" and detail.startswith("unexpected"):
        outcome = "held"
    return outcome, detail


def row(layer, attacks):
    """[(attack, outcome, detail)] of one layer left out; None when no run can start without it, with the reason."""
    env = escape.Environment(identity(), False, {"SANDBOX_REQUIRE": "L0"}, {"CMCP_TEST_DISABLE_LAYER": layer})
    try:
        client = env.common()
        first = client.bash("echo runs")
        if first.get("stdout") != "runs\n":
            return None, first.get("error") or first.get("stderr")
        return [(attack, *outcome_of(attack, env.common())) for attack in attacks if tried(attack, layer)], ""
    finally:
        env.stop()


def judge(layer, results):
    """(still held by others that claim it, escaped: only this layer held it, held by layers that do not claim it, what is wrong)"""
    others, only, unclaimed, wrong = [], [], [], []
    for attack, outcome, detail in results:
        rest = [name for name in attack.layers if name != layer]
        if outcome == "na":
            continue
        if rest:
            if outcome == "held":
                others.append(attack)
            else:
                wrong.append(f"without {layer}: {attack.name} claims {', '.join(rest)}, and {outcome}: {detail[:400]}")
        else:
            if outcome == "failed":
                wrong.append(f"without {layer}: {attack.name} neither held nor escaped: {detail[:400]}")
            (unclaimed if outcome == "held" else only).append(attack)
    return others, only, unclaimed, wrong


def names(attacks):
    return ", ".join(sorted({attack.name.rsplit(".", 1)[0] for attack in attacks})) or "-"


def main():
    chosen = [word for word in sys.argv[1:] if not word.startswith("-")] or LAYERS
    if "--list" in sys.argv:
        print("\n".join(LAYERS))
        return 0
    attacks = catalogue.attacks()
    unknown = sorted({name for attack in attacks for name in attack.layers} - set(LAYERS))
    wrong = [f"no layer has the name {name}, which a header's layers line has" for name in unknown]
    for layer in chosen:
        results, reason = row(layer, attacks)
        if results is None:
            print(f"{layer}: without it no run starts: {reason}", flush=True)
            continue
        others, only, unclaimed, bad = judge(layer, results)
        print(f"{layer} left out: {len(others)} still held by the others that claim them, {len(only)} only by this layer, "
              f"{len(unclaimed)} held by layers that do not claim them")
        print(f"    held by others:   {names(others)}\n    only this layer:  {names(only)}\n    held unclaimed:   {names(unclaimed)}", flush=True)
        wrong += bad
    print("\n".join("FAILED: " + text for text in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
