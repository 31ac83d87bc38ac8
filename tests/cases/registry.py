"""The table of cases: every variant is one ctest, `case.ID.variant`."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

CASES = {}
FREE = {"COMMAND_RESTRICTED": "false"}  # no allow-list: the sandbox alone


def case(identifier, variant):
    def register(function):
        name = f"{identifier}.{variant}"
        assert name not in CASES, name
        CASES[name] = function
        return function
    return register


def table(identifier, rows):
    """Registers one variant per row of {variant: arguments}: the function gets the row."""
    def register(function):
        for variant, row in rows.items():
            name = f"{identifier}.{variant}"
            assert name not in CASES, name
            CASES[name] = lambda row=row: function(row)
        return function
    return register


def equal(actual, expected, what=""):
    assert actual == expected, f"{what}: got {actual!r}, expected {expected!r}"


def contains(text, part, what=""):
    assert part in text, f"{what}: {part!r} is not in {text!r}"
