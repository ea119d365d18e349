"""Runs a server, passes all messages on, and writes each of them to a file as a line of JSON.

python record.py FILE COMMAND...
"""

import json
import subprocess
import sys
import threading


def main():
    path, command = sys.argv[1], sys.argv[2:]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    lock = threading.Lock()
    with open(path, "a", encoding="utf-8") as record:

        def write(direction, message):
            with lock:
                record.write(json.dumps({"from": direction, "message": message}) + "\n")
                record.flush()

        to_server = threading.Thread(
            target=copy, args=(sys.stdin.buffer, server.stdin, "client", write), daemon=True
        )
        to_server.start()
        copy(server.stdout, sys.stdout.buffer, "server", write)
    sys.exit(server.wait())


def copy(source, target, direction, write):
    """Copies whole messages; each is recorded before it is passed on."""
    while header := read_header(source):
        length = next(
            int(line.split(":")[1]) for line in header.decode("ascii").splitlines() if line.startswith("Content-Length")
        )
        body = source.read(length)
        write(direction, json.loads(body))
        target.write(header + body)
        target.flush()
    target.close()


def read_header(source):
    header = b""
    while not header.endswith(b"\r\n\r\n"):
        byte = source.read(1)
        if not byte:
            return b""
        header += byte
    return header


main()
