# case: 82
# title: no packet leaves
# tries: DNS questions, getaddrinfo and datagrams to the host's loopback, from both tools, with a counter at the host's end; and
#   with the server in a network of this test, where the way out leads through an interface that counts
# expect: no datagram comes to the listener; the interface sent none
# layers: network_namespace
import ctypes
import os
import socket
import subprocess

from outside import BOTH, Counter, run_program, said

CODE = """import errno, json, socket
answers = []
for host, port in (('8.8.8.8', 53), ('127.0.0.53', 53), ('127.0.0.1', %d), ('192.0.2.9', 53)):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.sendto(b'secret', (host, port))
            answers.append('sent')
        except OSError as failure:
            answers.append(errno.errorcode[failure.errno])
try:
    socket.getaddrinfo('secret.example.com', 80)
    answers.append('FOUND')
except socket.gaierror:
    answers.append('no name')
print(json.dumps(answers))
"""
CLONE_NEWNET = 0x40000000


def attack(client, port):
    """What the programs of both tools were told, or None when one of them got out."""
    answers = [said(run_program(client, tool, CODE % port)) for tool in BOTH]
    for answer in answers:
        # On its own loopback a datagram may go nowhere without an error.
        assert answer[0] in ("ENETUNREACH", "EACCES", "EPERM") and answer[3] == answer[0], answers
        assert answer[4] == "no name", answers
    return answers[0]


def sent_by_interface():
    with open("/proc/thread-self/net/dev") as file:
        row = next(line for line in file if line.strip().startswith("lo:"))
    return int(row.split(":")[1].split()[9])


def in_a_network_of_its_own(env, port):
    """How many packets the only way out has sent, with the server in a network of this test; None where none can be made."""
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    if libc.unshare(CLONE_NEWNET) != 0:
        return None
    try:
        for words in ("link set lo up", "addr add 192.0.2.1/32 dev lo", "route add default dev lo"):
            subprocess.run(["ip", *words.split()], check=True, capture_output=True)
        before = sent_by_interface()
        client = env.client()
        attack(client, port)
        client.server.stop()
        counted = sent_by_interface() - before
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:  # the counter counts
            one.sendto(b"x", ("8.8.8.8", 53))
        assert sent_by_interface() > before, "the counter of this test does not count"
        return counted
    finally:
        libc.setns(home, CLONE_NEWNET)
        os.close(home)


def run(env):
    listener = Counter(kind=socket.SOCK_DGRAM)
    answers = attack(env.common(), listener.name[1])
    came = listener.close()
    sent = in_a_network_of_its_own(env, listener.name[1])
    if came or sent:
        return "escaped", f"{came} datagrams came to the host's loopback, {sent} left the server's network"
    way = "no packet on the only way out" if sent == 0 else "no network of its own could be made for the test"
    return "held", f"{answers}; nothing came to the host; {way}"
