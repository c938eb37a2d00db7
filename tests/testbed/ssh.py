#!/usr/bin/env python3
"""The stand-in for ssh on pretend hosts, both sides of it: no keys, no secrecy, but a connection that the link carries.

usage: ssh.py [options of ssh, which are ignored] [USER@]HOST COMMAND...

What launchers build on is as with ssh: the words are joined and given to a shell; the environment is a fresh one; input,
output and errors are passed on, and the exit status; when the connection ends, the command is not killed, but its input
ends and nobody reads its output.
"""

import os
import signal
import socket
import struct
import subprocess
import sys
import threading

PORT = 22
WITH_VALUE = "BbcDEeFIiJLlmOopQRSWw"  # ssh's options that take a value
HEADER = struct.Struct("!cI")         # what it is, and how long: i(nput), o(utput), e(rrors), x (exit status)


def send(connection, lock, kind, data):
    with lock:
        connection.sendall(HEADER.pack(kind, len(data)) + data)


def receive(stream):
    """Messages until the connection ends."""
    while len(header := stream.read(HEADER.size)) == HEADER.size:
        kind, size = HEADER.unpack(header)
        data = stream.read(size)
        if len(data) < size:
            return
        yield kind, data


def forward(descriptor, connection, lock, kind):
    """All that can be read from a descriptor, and then an empty message."""
    try:
        while data := os.read(descriptor, 65536):
            send(connection, lock, kind, data)
        send(connection, lock, kind, b"")
    except OSError:
        pass  # the other side has gone


def write(descriptor, data):
    while data:
        data = data[os.write(descriptor, data):]


def listen(family):
    listener = socket.create_server(("", PORT), family=family, backlog=64)
    return listener


def serve(listener):
    while True:
        connection = listener.accept()[0]
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            try:
                session(connection)
            finally:
                os._exit(0)
        connection.close()


def session(connection):
    stream = connection.makefile("rb")
    lock = threading.Lock()
    messages = receive(stream)
    command = next(messages)[1].decode()
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "USER", "LOGNAME", "LANG", "TMPDIR") if name in os.environ}
    environment["SSH_CONNECTION"] = " ".join(f"{at[0]} {at[1]}" for at in (connection.getpeername(), connection.getsockname()))
    home = environment.get("HOME", "/")
    child = subprocess.Popen(["/bin/bash", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=environment, cwd=home if os.access(home, os.X_OK) else "/", start_new_session=True)
    outputs = [threading.Thread(target=forward, args=(pipe.fileno(), connection, lock, kind), daemon=True)
               for pipe, kind in ((child.stdout, b"o"), (child.stderr, b"e"))]
    for thread in outputs:
        thread.start()

    def feed():
        input_open = True
        for _, data in messages:
            try:
                write(child.stdin.fileno(), data)
            except OSError:
                data = b""  # the command reads no more
            if not data and input_open:
                child.stdin.close()
                input_open = False
        os._exit(0)  # the connection ended

    threading.Thread(target=feed, daemon=True).start()
    for thread in outputs:
        thread.join()
    send(connection, lock, b"x", struct.pack("!i", child.wait()))


def client(host, command):
    try:
        connection = socket.create_connection((host, PORT))
    except OSError as error:
        print(f"ssh: connect to host {host} port {PORT}: {error.strerror or error}", file=sys.stderr)
        return 255
    stream = connection.makefile("rb")
    lock = threading.Lock()
    send(connection, lock, b"c", command.encode())
    threading.Thread(target=forward, args=(0, connection, lock, b"i"), daemon=True).start()
    try:
        for kind, data in receive(stream):
            if kind == b"x":
                status = struct.unpack("!i", data)[0]
                return status if status >= 0 else 255
            write({b"o": 1, b"e": 2}[kind], data)
    except OSError:
        pass
    print(f"ssh: connection to {host} was lost", file=sys.stderr)
    return 255


def main():
    words = sys.argv[1:]
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if len(option) == 2 and option[1] in WITH_VALUE:
            words.pop(0)
    if len(words) < 2:
        print("ssh: this stand-in wants a host and a command", file=sys.stderr)
        return 255
    return client(words[0].rpartition("@")[2], " ".join(words[1:]))


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the thread that reads our input may be waiting for more
