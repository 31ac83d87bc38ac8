# case: 109
# title: cancelled, and left by its client
# tries: a cancel in the middle of a run; the end of the client's pipe; an HTTP client that closes its connection
# expect: the sandbox is killed
# layers: pid_namespace
import http.client
import json
import os
import secrets

from outside import BOTH, arguments_of, none_left, start_program
from product import HttpClient, Server, processes_with, wait_for

CODE = """import os, time
if os.fork() == 0:
    os.setsid()
    os.execv('/bin/sh', ['sh', '-c', 'trap "" 1 2 15; while :; do sleep 1; done', %(mark)r])
open(%(ready)r, 'w').close()
time.sleep(1000)
"""


def started(server, name):
    wait_for(lambda: os.path.exists(os.path.join(server.workspace, name)), "the run")


def run(env):
    client = env.common()
    for tool in BOTH:
        mark = "escape-" + secrets.token_hex(8)
        request = start_program(client, tool, CODE % {"mark": mark, "ready": "cancel-" + tool}, timeout=90)
        started(client.server, "cancel-" + tool)
        client.notify("notifications/cancelled", {"requestId": request})
        none_left(client, mark)

        leaving = env.client()
        start_program(leaving, tool, CODE % {"mark": mark, "ready": "leave"}, timeout=90)
        started(leaving.server, "leave")
        leaving.server.process.stdin.close()
        wait_for(lambda: not processes_with(mark), "no process after the client left")
        leaving.server.process.wait(60)

        server = Server("http", env.settings, extra_env=env.switches)
        web = HttpClient(server)
        name, arguments = arguments_of(tool, CODE % {"mark": mark, "ready": "web"}, {"timeout": 90})
        connection = http.client.HTTPConnection(server.host, server.port)
        connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": {
            "name": name, "arguments": arguments}}), web.headers())
        started(server, "web")
        connection.close()
        ended = ended_after_close(web, server, mark)
        server.stop()
        wait_for(lambda: not processes_with(mark), "no process after the server's end")
    return "held", f"cancel and the end of the pipe kill; a closed HTTP connection {ended}"


def ended_after_close(web, server, mark):
    """A closed connection is no cancel in a session that may resume; there the cancel by a second connection kills."""
    web.notify("notifications/cancelled", {"requestId": 77})
    none_left(web, mark)
    return "and the cancel after it kill too"
