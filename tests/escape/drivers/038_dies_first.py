# case: 38
# title: a payload is the first to die when memory is short
# tries: read oom_score_adj in bash, in Python and in a child
# expect: 500
# layers: -


def run(env):
    read = "cat /proc/self/oom_score_adj"
    told = env.bash(f"{read}; sh -c '{read}'")["stdout"].split() + env.python("print(open('/proc/self/oom_score_adj').read())")["output"].split()
    if told != ["500"] * 3:
        return "escaped", f"oom_score_adj is {told}"
    return "held", "500 in each"
