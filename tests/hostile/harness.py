"""Runs commands and a session of the server on a hostile input, and measures the cost of each."""

import argparse
import json
import os
import resource
import subprocess
import tempfile
import threading
import time

#: Limits of a process; beyond them the system ends it, so that a broken program does not harm the machine.
HARD_SECONDS, HARD_BYTES, WALL_SECONDS = 120, 6 << 30, 240


#: What the computation of `slowness` takes on the machine for which the limits were chosen.
REFERENCE_SECONDS = 0.2


def slowness():
    """How much slower than that machine this one is now: at least 1. Speed changes while other programs run."""
    before = time.process_time()
    sum(number * number for number in range(3_000_000))
    return max(1, (time.process_time() - before) / REFERENCE_SECONDS)


class Outcome:
    """How one process went."""

    def __init__(self, status, usage, output, problem=None):
        self.seconds = usage.ru_utime + usage.ru_stime
        self.megabytes = usage.ru_maxrss / 1024
        self.output = output
        self.problem = problem
        self.slowness, self.rounds = 1, 1
        if "panicked at" in output:
            self.problem = "panic"
        elif os.WIFSIGNALED(status):
            self.problem = f"ended by signal {os.WTERMSIG(status)}"
        self.status = os.waitstatus_to_exitcode(status)

    def verdict(self, limits):
        if self.problem:
            return self.problem
        if self.seconds > limits.seconds * self.slowness * self.rounds:
            return "too slow"
        return "too much memory" if self.megabytes > limits.megabytes * min(self.rounds, 2) else "ok"

    def cell(self, limits):
        verdict = self.verdict(limits)
        return str(self) if verdict == "ok" else f"**{verdict}** {self}"

    def said(self):
        """The first line and the last one."""
        lines = [line for line in self.output.splitlines() if line.strip()] or [""]
        return lines[0][:160], lines[-1][:160]

    def __str__(self):
        return f"{self.seconds:.1f} s {self.megabytes:.0f} MB"


def hold_back():
    resource.setrlimit(resource.RLIMIT_CPU, (HARD_SECONDS, HARD_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (HARD_BYTES, HARD_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def command(program, root, *arguments):
    """Runs the program, which is a list of words, to its end."""
    log = tempfile.TemporaryFile()
    process = subprocess.Popen([*program, *arguments], cwd=root, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=hold_back)
    killer = threading.Timer(WALL_SECONDS, process.kill)
    killer.start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    killer.cancel()
    log.seek(0)
    return Outcome(status, usage, log.read(1 << 20).decode(errors="replace"))


class Session:
    """An editor that talks to the server; every request has its time."""

    def __init__(self, program, root, deadline):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([*program, "server"], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, preexec_fn=hold_back)
        self.killer = threading.Timer(deadline, self.process.kill)
        self.killer.start()
        self.answers, self.arrived, self.is_over, self.last = {}, threading.Condition(), False, 0
        self.diagnostics = set()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        output = self.process.stdout
        while True:
            length = 0
            while (line := output.readline().strip()):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            body = output.read(length) if length else b""
            with self.arrived:
                if not body:
                    self.is_over = True
                    self.arrived.notify_all()
                    return
                message = json.loads(body)
                if message.get("method") == "textDocument/publishDiagnostics":
                    self.diagnostics.add(message["params"]["uri"])
                elif "method" not in message:
                    self.answers[str(message.get("id"))] = message
                self.arrived.notify_all()
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": None})

    def send(self, message):
        self.send_body(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def send_body(self, body):
        try:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.process.stdin.flush()
        except OSError:
            self.is_over = True

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        """The answer, or None if the server ended before it."""
        self.last += 1
        name = f"q{self.last}"
        self.send({"id": name, "method": method, "params": params})
        with self.arrived:
            self.arrived.wait_for(lambda: name in self.answers or self.is_over)
        return self.answers.get(name)

    def end(self, problem):
        if not self.is_over:
            self.ask("shutdown", None)
            self.notify("exit", None)
        try:
            self.process.stdin.close()
        except OSError:
            pass
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = 0
        self.killer.cancel()
        self.log.seek(0)
        return Outcome(status, usage, self.log.read(1 << 20).decode(errors="replace"), problem)


def serve(program, root, given):
    """The file of the input is opened and asked about, then another file; what else the input sends comes between."""
    uri = lambda name: "file://" + root + "/" + name
    session = Session(program, root, WALL_SECONDS)
    session.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": [{"uri": "file://" + root, "name": "w"}]})
    session.notify("initialized", {})
    opened = uri(given.opened)
    for name in dict.fromkeys([given.opened, "data/other.yaml"]):
        try:
            with open(f"{root}/{name}", "rb") as file:
                text = file.read(64 << 20).decode(errors="replace")
        except OSError:
            continue
        session.notify("textDocument/didOpen", {"textDocument": {"uri": uri(name), "languageId": "yaml", "version": 1, "text": text}})
    for body in given.messages:
        if isinstance(body, bytes) and body.startswith(b"RAW"):
            try:
                session.process.stdin.write(body[3:])
                session.process.stdin.flush()
            except OSError:
                pass
        else:
            body = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
            session.send_body(body.replace(b"URI", opened.encode()))
    problem = None
    if given.ends:
        session.process.stdin.close()
        with session.arrived:
            session.arrived.wait_for(lambda: session.is_over)
        return session.end(None)
    place = {"line": 0, "character": 0}
    for name in (opened, uri("data/other.yaml")):
        for method in ("hover", "documentSymbol", "completion", "codeLens"):
            if session.ask(f"textDocument/{method}", {"textDocument": {"uri": name}, "position": place}) is None:
                problem = f"no answer to {method}"
    for method, params in given.requests:
        params = json.loads(json.dumps(params).replace("URI", opened))
        if session.ask(method, params) is None:
            problem = f"no answer to {method}"
    with session.arrived:
        if not session.arrived.wait_for(lambda: uri("data/other.yaml") in session.diagnostics or session.is_over, WALL_SECONDS):
            problem = problem or "no diagnostics"
    return session.end(problem)


def edit(program, root, given):
    """The file of the input is opened, and before each request that an editor may send, a character in its middle comes or goes."""
    name = f"{root}/{given.opened}"
    try:
        with open(name, "rb") as file:
            text = file.read(64 << 20).decode(errors="replace")
    except OSError:
        text = ""
    session = Session(program, root, WALL_SECONDS)
    session.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": [{"uri": "file://" + root, "name": "w"}]})
    session.notify("initialized", {})
    uri = "file://" + name
    session.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    middle = {"line": len(lines) // 2, "character": min(len(lines[len(lines) // 2]) // 2, 100_000)}
    all_of_it = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    problem, version = None, 1
    for method, more in EDITOR_REQUESTS:
        version += 1
        is_there = version % 2
        end = {**middle, "character": middle["character"] + is_there}
        change = {"range": {"start": middle, "end": end}, "text": "" if is_there else "a"}
        session.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]})
        params = {"textDocument": {"uri": uri}, "position": middle, "positions": [middle], "range": all_of_it, **more}
        if session.ask(f"textDocument/{method}", params) is None:
            problem = f"no answer to {method}"
    return session.end(problem)


EDITOR_REQUESTS = [
    ("diagnostic", {}),
    ("codeAction", {"context": {"diagnostics": []}}),
    ("semanticTokens/full", {}),
    ("foldingRange", {}),
    ("documentLink", {}),
    ("inlayHint", {}),
    ("selectionRange", {}),
    ("documentHighlight", {}),
    ("definition", {}),
    ("references", {"context": {"includeDeclaration": True}}),
    ("prepareRename", {}),
    ("rename", {"newName": "other"}),
    ("hover", {}),
    ("completion", {}),
]


# The rest runs in a process of its own: the texts of all inputs are large, and a forked process counts the memory of its parent
# as its own.


def names():
    import inputs

    return [given.name for given in inputs.INPUTS]


def prepare(number, root):
    """Writes the workspace; the input without its texts."""
    import inputs

    given = inputs.INPUTS[number]
    for name, text in given.files.items():
        path = f"{root}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
    if given.special:
        given.special(root)
    more = {"key": given.key, "opened": given.opened, "messages": given.messages, "requests": given.requests, "ends": given.ends, "reads_disk": given.reads_disk}
    return argparse.Namespace(name=given.name, **more)


def attempt(told, program, root, given, stages):
    """All stages of one input, in a process that stays small until then, for the same reason."""
    ways = {
        "check": lambda: command(program, root, "check", "--format", "concise"),
        "lookup": lambda: command(program, root, "lookup", "--", given.key),
        "server": lambda: serve(program, root, given),
        "editor": lambda: edit(program, root, given),
    }
    outcomes = []
    for stage in stages:
        outcome = ways[stage]()
        outcome.slowness = slowness() if outcome.seconds > 1 else 1
        # Each of the 14 edits and requests of this stage can cost as much as a whole check.
        outcome.rounds = 14 if stage == "editor" else 1
        outcome.stage, outcome.output = stage, outcome.output[-100_000:] if len(outcome.output) > 200_000 else outcome.output
        outcomes.append(outcome)
    told.send(outcomes)


