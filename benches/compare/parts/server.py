"""A language server as a client sees it, and the CPU time and memory that it takes. Needs Linux (/proc)."""

import json
import os
import subprocess
import sys
import time

CLOCK = os.sysconf("SC_CLK_TCK")

# VS Code's capabilities, as far as responses depend on them.
CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "diagnostic": {"dynamicRegistration": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "publishDiagnostics": {
            "relatedInformation": True,
            "codeDescriptionSupport": True,
            "tagSupport": {"valueSet": [1, 2]},
        },
    },
    "workspace": {
        "configuration": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "diagnostics": {"refreshSupport": True},
        "codeLens": {"refreshSupport": True},
        "inlayHint": {"refreshSupport": True},
        "semanticTokens": {"refreshSupport": True},
    },
    "window": {"workDoneProgress": True},
    "experimental": {
        "commands": {
            "commands": ["hiera.preview", "hiera.explain", "hiera.allNodes", "hiera.compare", "hiera.changes"]
        },
        "serverStatusNotification": True,
    },
}


class Server:
    """A language server and the words with it. `settings` are those of the editor."""

    def __init__(self, program, root, settings=None):
        command = [program, "server"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.settings = settings
        self.last_id = 0
        self.bytes = 0
        uri = "file://" + root
        self.ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": uri,
                "capabilities": CAPABILITIES,
                "workspaceFolders": [{"uri": uri, "name": "bench"}],
                "initializationOptions": settings or {},
            },
        )
        self.tell("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            sys.exit("the server has gone")
        self.bytes += length
        return json.loads(self.process.stdout.read(length))

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def begin(self, method, params):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        return self.last_id

    def answers(self, ids):
        """Waits for the answers to some requests."""
        waiting, found = set(ids), {}
        while waiting:
            message = self.receive()
            if "method" in message:
                if "id" in message:
                    asked = message["params"] or {}
                    count = len(asked.get("items", [])) if isinstance(asked, dict) else 0
                    is_list = message["method"] == "workspace/configuration"
                    self.send({"id": message["id"], "result": [self.settings] * count if is_list else None})
            elif message["id"] in waiting:
                if "error" in message:
                    sys.exit(f"an error for an answer: {message['error']}")
                waiting.remove(message["id"])
                found[message["id"]] = message["result"]
        return found

    def ask(self, method, params):
        request = self.begin(method, params)
        return self.answers([request])[request]

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))

    def stop(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.process.wait(30)

    def wait_until_idle(self):
        while True:
            before = self.cpu()
            time.sleep(1)
            if self.cpu() - before < 0.03:
                return


class Document:
    """A YAML file that is open in the editor."""

    def __init__(self, server, uri, text):
        self.server, self.uri = server, uri
        self.version = 1
        self.lines = text.split("\n")
        item = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        server.tell("textDocument/didOpen", {"textDocument": item})

    def edit(self, line, column, old, new):
        """Replaces so many characters with a text."""
        self.version += 1
        place = {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + old}}
        document = {"uri": self.uri, "version": self.version}
        self.server.tell(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [{"range": place, "text": new}]}
        )
