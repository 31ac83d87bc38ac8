# case: 128
# title: output without an end
# tries: `yes` until the deadline, on stdout and on stderr, from both tools; with outputs kept and not
# expect: cut at the limit, `truncated` and `omitted_bytes` told; the program is never stalled; the server's memory does not grow with it
# layers: -
import os

from outside import BOTH, run_program

CODE = "import os\nblock = b'y\\n' * 32768\nwhile True:\n    os.write(%d, block)"


def run(env):
    seen = []
    for keep in ("16", "0"):
        client = env.client(settings={"OUTPUT_KEEP_MB": keep})
        for tool in BOTH:
            client.call("system_run_command", {"command": "echo warm"})
            before = client.server.rss_kb()
            for descriptor in (1, 2):
                result = run_program(client, tool, CODE % descriptor, timeout=2)
                assert result["timed_out"] and result["truncated"], {**result, "stdout": "", "stderr": ""}
                text = result["stdout"] if descriptor == 1 else result["stderr"]
                assert len(text) < 60000, len(text)
                assert result["omitted_bytes"] > 1 << 20, result["omitted_bytes"]
            grown = client.server.rss_kb() - before
            bound = (int(keep) + 48) * 1024  # what is kept, what is shown, and what the allocator holds on to
            if not os.environ.get("ASAN_OPTIONS") and grown > bound:
                return "escaped", f"{tool}: the server grew by {grown} kB while {result['omitted_bytes']} bytes came"
            seen.append(f"{tool}, {keep} MB kept: {result['omitted_bytes'] >> 20} MB came, the server grew by {grown >> 10} MB")
        client.server.stop()
    return "held", "; ".join(seen)
