# case: 172
# title: the workspace is changed while a run starts
# tries: a run that renames directories and puts links in place of working directories, while other runs start in them and file tools list,
#   write and move there
# expect: every call is done inside the workspace, or refused; nothing appears outside
# layers: -
import os

from product import wait_for

RACE = """import os, time
for n in range(8):
    os.makedirs(f'w/d{n}', exist_ok=True)
    if not os.path.islink(f'w/l{n}'): os.symlink(%r, f'w/l{n}')
open('racing', 'w').close()
end = time.monotonic() + 60
while not os.path.exists('stop') and time.monotonic() < end:
    for n in range(8):
        try:
            os.rename(f'w/d{n}', f'w/x{n}'); os.rename(f'w/l{n}', f'w/d{n}')
            os.rename(f'w/d{n}', f'w/l{n}'); os.rename(f'w/x{n}', f'w/d{n}')
        except OSError:
            pass
"""


def run(env):
    client, outside = env.common(), env.outside()
    os.chmod(outside, 0o777)
    running = client.start_call("system_run_python", {"code": RACE % outside, "timeout": 90})
    wait_for(lambda: os.path.exists(os.path.join(client.server.workspace, "racing")), "the race to begin")
    inside = refused = 0
    for turn in range(60):
        for n in range(2):
            result = client.bash("pwd -P; echo x > made.txt", working_dir=f"w/d{n}")
            if result.get("stdout", "").startswith("/workspace/"):
                inside += 1
            else:
                assert not result["success"] and "/cmcp-test-" not in result.get("stdout", ""), result
                refused += 1
        client.call("file_write", {"path": f"w/d{turn % 8}/f.txt", "content": "x"})
        client.call("file_move", {"source": f"w/d{turn % 8}/f.txt", "destination": f"w/d{(turn + 1) % 8}/g.txt", "overwrite": True})
        if os.listdir(outside):
            return "escaped", f"outside has {os.listdir(outside)}"
    assert client.call("file_write", {"path": "stop", "content": ""})["success"]
    client.wait(running)
    if os.listdir(outside):
        return "escaped", f"outside has {os.listdir(outside)}"
    return "held", f"{inside} runs inside, {refused} refused, nothing outside"
