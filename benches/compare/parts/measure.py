"""What programs cost: CPU time, time on the clock, memory. CPU time is what is compared, as machines have other work, too."""

import json
import os
import subprocess
import time


class Cost:
    """What one run of a program took: seconds, and bytes at the most."""

    def __init__(self, cpu, wall, memory, output):
        self.cpu, self.wall, self.memory, self.output = cpu, wall, memory, output


def run(command, cwd=None, keep=False, limit=900):
    """Runs a program; its output is kept if that is wanted. `None` if it takes longer than `limit` seconds."""
    started = time.monotonic()
    output = subprocess.PIPE if keep else subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=cwd, stdout=output, stderr=subprocess.DEVNULL)
    text = b""
    if keep:
        text = process.stdout.read()
    while True:
        pid, _, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if time.monotonic() - started > limit:
            process.kill()
            os.wait4(process.pid, 0)
            return None
        time.sleep(0.002)
    process.returncode = 0
    wall = time.monotonic() - started
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024, text)


class Server:
    """A language server, spoken to over its standard input and output."""

    def __init__(self, command, root, settings=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        self.settings = settings or {}
        self.published = {}
        capabilities = {"textDocument": {"publishDiagnostics": {}, "diagnostic": {}}}
        params = {"processId": None, "rootUri": f"file://{root}", "capabilities": capabilities}
        said = self.ask("initialize", params)["capabilities"]
        self.is_pulled = "diagnosticProvider" in said
        self.tell("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.number and "method" not in message:
                return message.get("result")

    def receive(self):
        """The next message. Questions of the server are answered at once."""
        length = 0
        while True:
            line = self.process.stdout.readline().strip()
            if not line:
                break
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message = json.loads(self.process.stdout.read(length))
        if "method" in message and "id" in message:
            items = (message.get("params") or {}).get("items", [])
            answer = [self.settings for _ in items] if message["method"] == "workspace/configuration" else None
            self.send({"id": message["id"], "result": answer})
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published[message["params"]["uri"]] = message["params"]["diagnostics"]
        return message

    def diagnostics(self, path, text):
        """Opens a file and waits for what the server has to say of it, which must be something."""
        uri = f"file://{path}"
        self.published.pop(uri, None)
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
        if self.is_pulled:
            self.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        else:
            while not self.published.get(uri):
                self.receive()

    def close(self, path):
        self.tell("textDocument/didClose", {"textDocument": {"uri": f"file://{path}"}})

    def cpu(self):
        """Seconds that the server used so far, all its threads together."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.kill()
        self.process.wait()
