"""A server over stdio whose one shell tool confines nothing: what bin/jailcheck must find. For jailcheck_test.py alone."""
import json
import subprocess
import sys

TEXT = {"type": "string"}
TOOLS = [
    {"name": "add", "description": "adds numbers", "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}}}},
    {"name": "says_nothing", "description": "", "inputSchema": {"type": "object", "properties": {"command": TEXT}}},
    {"name": "run_anything", "description": "runs a script in a shell", "inputSchema": {
        "type": "object", "required": ["script", "mode"], "properties": {"mode": {"type": "string", "enum": ["argv", "sh"]}, "script": TEXT}}},
]


def call(parameters):
    arguments = parameters["arguments"]
    if parameters["name"] != "run_anything":
        return {"content": []}
    assert arguments["mode"] == "sh", arguments
    done = subprocess.run(["sh", "-c", arguments["script"]], capture_output=True, text=True, timeout=100, check=False)
    # Output inside of JSON inside of a text: the least convenient form that servers use.
    return {"content": [{"type": "text", "text": json.dumps({"out": done.stdout, "err": done.stderr, "code": done.returncode})}]}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = {"initialize": lambda: {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "unconfined", "version": "1"}},
                  "tools/list": lambda: {"tools": TOOLS}, "tools/call": lambda: call(message["params"])}[message["method"]]()
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


main()
