"""The Python SDK, 1.x (sse_client, streamablehttp_client, stdio_client) or 2.x (Client in auto mode), over one transport.

argv: KIND (http | sse | stdio) and a JSON target {"url"} or {"command", "env"}; prints the cells of its row as JSON.
"""
import asyncio
import json
import sys
from importlib.metadata import version


async def scenario(list_tools, call):
    def content(result):
        return json.loads(result.content[0].text)

    wanted = {"file_delete", "file_list", "file_move", "file_read", "file_write", "system_env_var", "system_run_command",
              "system_run_python"}
    cells = {"list": wanted <= {tool.name for tool in (await list_tools()).tools}}
    bash = content(await call("system_run_command", {"command": "echo from-bash; pwd"}))
    cells["bash"] = (bash["stdout"], bash["exit_code"]) == ("from-bash\n/workspace\n", 0)
    python = content(await call("system_run_python", {"code": 'print("from-python")\n_ = 6 * 7'}))
    cells["python"] = (python["output"], python["result"]) == ("from-python\n", 42)
    cells["write"] = content(await call("file_write", {"path": "note.md", "content": "grüße\n"}))["success"] is True
    cells["read back"] = content(await call("file_read", {"path": "/workspace/note.md"}))["content"] == "grüße\n"
    return cells


async def with_1(kind, target):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.sse import sse_client
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    if kind == "stdio":
        transport = stdio_client(StdioServerParameters(command=target["command"][0], args=target["command"][1:], env=target["env"]))
    else:
        transport = sse_client(target["url"]) if kind == "sse" else streamablehttp_client(target["url"])
    async with transport as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        return await scenario(session.list_tools, session.call_tool)


async def with_2(kind, target):
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    server = target.get("url")
    if kind == "stdio":
        server = stdio_client(StdioServerParameters(command=target["command"][0], args=target["command"][1:], env=target["env"]))
    async with Client(server, mode="auto") as client:
        cells = await scenario(client.list_tools, client.call_tool)
        cells["revision"] = str(getattr(client, "protocol_version", "") or "")
        return cells


run = with_1 if version("mcp").startswith("1.") else with_2
print(json.dumps(asyncio.run(run(sys.argv[1], json.loads(sys.argv[2])))))
