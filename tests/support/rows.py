"""A suite of named checks: each runs although another failed; the last line counts."""
import sys
import traceback


class Rows:
    def __init__(self, title):
        self.title = title
        self.checks = []

    def row(self, name):
        def register(function):
            self.checks.append((name, function))
            return function
        return register

    def main(self):
        """The exit status. `SCRIPT WORD` runs the rows whose name holds WORD."""
        wanted = sys.argv[1] if len(sys.argv) > 1 else ""
        chosen = [(name, check) for name, check in self.checks if wanted in name]
        failed = 0
        for name, check in chosen:
            try:
                check()
            except Exception as problem:
                failed += 1
                where = traceback.extract_tb(problem.__traceback__)[-1]
                print(f"FAILED {name}: {type(problem).__name__}: {problem} (line {where.lineno})", flush=True)
        print(f"{self.title}: {len(chosen) - failed} of {len(chosen)} rows held")
        return 1 if failed or not chosen else 0
