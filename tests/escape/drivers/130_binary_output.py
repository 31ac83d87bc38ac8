# case: 130
# title: bytes that are no text
# tries: every byte, invalid UTF-8, lone surrogates, overlong forms, NUL, ANSI and OSC escapes, bidi controls, a huge line, JSON-RPC
# expect: valid JSON, one message a line; invalid bytes counted; escapes removed
# layers: -
from outside import BOTH, run_program

PIECES = {
    "every byte": "bytes(range(256))",
    "invalid": "b'\\xff\\xfe\\xc0\\x80\\xed\\xa0\\x80\\xf5\\x80\\x80\\x80\\xe2\\x82'",
    "nul": "b'a\\0b\\0'",
    "ansi": "b'\\x1b[31mred\\x1b[0m\\x1b]0;title\\x07\\x1b]52;c;aGVsbG8=\\x1b\\\\\\x1bP+q\\x1b\\\\ \\x9b31m'",
    "bidi": "'\\u202e\\u2066txt'.encode()",
    "rpc": "b'{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}\\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\\n\\r\\n\\r\\n'",
    "a line": "b'x' * 1000000",
}


def run(env):
    client, seen = env.common(), []
    for name, expression in PIECES.items():
        for tool in BOTH:
            for stream in (1, 2):
                result = run_program(client, tool, f"import os\ndata = {expression}\nwhile data: data = data[os.write({stream}, data):]")
                text = result["stdout"] if stream == 1 else result["stderr"]
                text.encode("utf-8")  # no lone surrogate came through
                assert "\x1b" not in text, (name, tool, text[:200])
                if name in ("every byte", "invalid"):
                    assert result["invalid_bytes"] > 0 and "\ufffd" in text, (name, result)
                if name == "rpc":
                    assert '"notifications/x"' in text
        seen.append(f"{name}: {result['invalid_bytes']} invalid")
    assert not client.stray and not [one for one in client.notifications if one["method"] == "notifications/x"], "forged messages"
    return "held", "; ".join(seen)
