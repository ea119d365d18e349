"""One file, and what it costs to say what is wrong with it: by size, for hiera-ls, Psych and yaml-language-server."""

import json
import os
import subprocess

from .measure import Server

PSYCH = """
require 'yaml'
text = File.read(ARGV[0])
clock = -> { Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) }
rounds = ARGV[1].to_i
YAML.unsafe_load(text)
before = clock.call
rounds.times { YAML.unsafe_load(text) }
puts (clock.call - before) / rounds
"""


def text_of(writer_lines, size):
    """A data file of about `size` bytes, of lines that are repeated under other keys."""
    lines, length, number = ["---"], 4, 0
    while length < size:
        for line in writer_lines:
            line = line.replace("KEY", f"profile::part{number}")
            lines.append(line)
            length += len(line) + 1
        number += 1
    # Something to find for all of them.
    return "\n".join([*lines, "twice: 1", "twice: 2"]) + "\n"


LINES = [
    "KEY::port: 8080",
    'KEY::url: "http://%{facts.networking.fqdn}:%{lookup(\'profile::part0::port\')}/index"',
    "KEY::packages:",
    "  - htop",
    "  - 'vim-nox'",
    '  - "tmux"',
    "KEY::users:",
    "  alice:",
    "    uid: 1001",
    "    shell: /bin/bash",
    "  bob:",
    "    uid: 1002",
    "    groups: [wheel, adm]",
    "# A remark",
]

HIERA_YAML = "version: 5\nhierarchy:\n- {name: node, path: 'nodes/%{trusted.certname}.yaml'}\n- {name: common, path: common.yaml}\n"


def measure(program, other, directory, sizes, rounds):
    """The seconds of CPU time from opening a file to its diagnostics, and those of one load by Psych."""
    os.makedirs(f"{directory}/data", exist_ok=True)
    with open(f"{directory}/hiera.yaml", "w", encoding="utf-8") as file:
        file.write(HIERA_YAML)
    rows = []
    least = rounds
    for size in sizes:
        # The clock of the kernel is coarse.
        rounds = max(least, 200_000 // size)
        text, path = text_of(LINES, size), f"{directory}/data/common.yaml"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        loaded = subprocess.run(["ruby", "-e", PSYCH, path, str(rounds)], check=True, stdout=subprocess.PIPE)
        row = {"bytes": len(text), "Psych": float(loaded.stdout)}
        row["hiera-ls"] = opened([program, "server"], directory, path, text, rounds)
        if other:
            row["yaml-language-server"] = opened([*other, "--stdio"], directory, path, text, rounds)
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows


def opened(command, directory, path, text, rounds):
    """CPU time of opening a file until its diagnostics are there. Each round has another text, as servers keep what they know."""
    server = Server(command, directory)
    try:
        server.diagnostics(path, text + "# first\n")
        server.close(path)
        before = server.cpu()
        for number in range(rounds):
            key = f"number{number}::"
            # A server that says unasked what it found may say it again later: then another name tells what is new.
            name = path if server.is_pulled else path.replace("common", f"common{number}")
            server.diagnostics(name, text.replace("profile::", key))
            server.close(name)
        return (server.cpu() - before) / rounds
    finally:
        server.end()
