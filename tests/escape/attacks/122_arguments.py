# case: 122
# title: arguments and environments of megabytes
# tries: execve with one argument of 2 MiB, 4 MiB in many, an environment of 4 MiB, a million empty arguments
# expect: E2BIG
# layers: -
# bound: bytes<=16M
for name, arguments, environment in (("one of 2 MiB", ["true", "x" * (2 << 20)], {}),
                                     ("4 MiB in many", ["true"] + ["x" * 65536] * 64, {}),
                                     ("an environment of 4 MiB", ["true"], {"N%d" % n: "x" * 65536 for n in range(64)}),
                                     ("a million empty ones", ["true"] + [""] * 1000000, {})):
    def start(arguments=arguments, environment=environment):
        os.execve("/bin/true", arguments, environment)

    end = in_child(start)
    if end == 0:
        wrong("%s was executed" % name)
    else:
        refused(name, (-1, name_of(-end)), "E2BIG", "ENOMEM")
held()
