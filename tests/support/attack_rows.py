"""A suite of attacks: each row has a server of its own, is tried although another failed, and leaves a server that serves."""
import sys

from product import Server, StdioClient, identity


class AttackRows:
    def __init__(self, title, settings):
        self.title = title
        self.settings = settings  # of rows that name none
        self.rows = []

    def row(self, name, settings=None, switches=None):
        def register(function):
            self.rows.append((name, settings or self.settings, switches or {}, function))
            return function
        return register

    def main(self, modes=(("", {}),), attack=lambda row, client, settings, switches: row(client)):
        """The exit status. `modes`: (name, switches) in which every row is tried; `attack` calls a row's function.
        `SCRIPT WORD…` tries the rows whose names hold one of the words."""
        held = tried = 0
        for mode, more in modes:
            where = f"({identity()}, {mode})" if mode else f"({identity()})"
            for name, settings, switches, function in self.rows:
                if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
                    continue
                tried += 1
                try:
                    client = StdioClient(Server("stdio", settings, extra_env={**more, **switches}))
                    attack(function, client, settings, {**more, **switches})
                    if client.server.process.poll() is None:
                        assert client.bash("echo ok")["stdout"] == "ok\n"
                        client.server.stop()
                    held += 1
                    print(f"held: {name} {where}", flush=True)
                except Exception as failure:  # every row is tried
                    print(f"FAILED: {name} {where}: {type(failure).__name__}: {str(failure)[:900]}", flush=True)
        print(f"{self.title}: {held} of {tried} held")
        return 0 if tried and held == tried else 1
