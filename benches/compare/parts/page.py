"""docs/performance.md, from figures that were measured. What another script writes between its own marks is kept."""

import os
import re
import subprocess

from .plots import plot, seconds, size

HEAD = """# Performance

`benches/compare/performance --program target/release/hiera-ls --write` writes the figures on this page. It measures all
programs side by side in one run, and compares CPU time, summed over all threads, because other work on the machine changes CPU
time least.

{machine}

"""

FILES = """## One file

The table shows the CPU time from the moment when an editor opens a data file until its diagnostics arrive. The column *Psych*
is one load of the file by Psych, the YAML parser of Ruby and therefore of Puppet. `yaml-language-server` checks plain YAML;
`hiera-ls` looks up keys as well.

![CPU time by the size of the file](images/performance-files.svg)

"""

FLEETS = """## Many nodes

Each node has its own fact set and data file, and every key is looked up for every node. Only `check` does not read the fact
sets, which are outside the repository: it infers the nodes from the names of their data files. Puppet runs in its own process,
with one compiler for each node, for {measured} nodes; its figure is projected to all nodes at that rate. Puppet has no command that
compares two states of data. *Time* is wall-clock time.

![CPU time by the number of nodes](images/performance-fleets.svg)

"""

LARGE = """## A very large environment

The environment has {files} files with {megabytes} of data, {nodes} nodes with a fact set each, and {keys} keys. The edited line
is in `common.yaml`, which every node reads; `check` infers the nodes from the names of their data files. *Time* is wall-clock
time. `benches/compare/performance --large {nodes}` measures such an environment.

"""


def write(root, of_files, of_fleets):
    path, images = os.path.join(root, "docs/performance.md"), os.path.join(root, "docs/images")
    names = [name for name in of_files[0] if name != "bytes"]
    series = {name: [(row["bytes"], row[name]) for row in of_files if row[name]] for name in names}
    series = {name: line for name, line in series.items() if line}
    drawn = plot("One file", "size of the file", "CPU time", series, size, seconds)
    save(f"{images}/performance-files.svg", drawn)
    text = HEAD.format(machine=machine()) + FILES + table(["size", *names], [
        [size(row["bytes"]), *(seconds(row[name]) for name in names)] for row in of_files
    ])
    if of_fleets:
        text += fleets(images, of_fleets)
    save(path, text + kept(path, "large") + "\n" + kept(path, "typing"))


def write_large(root, of_fleet):
    """Writes the part about one very large environment, and keeps the others."""
    path = os.path.join(root, "docs/performance.md")
    rows = [[row["what"], seconds(row["cpu"]), seconds(row["wall"]), size(row["memory"])] for row in of_fleet["rows"]]
    counts = {name: of_fleet[name] for name in ("files", "nodes", "keys")}
    text = LARGE.format(megabytes=size(of_fleet["bytes"]), **counts) + table(["what", "CPU time", "time", "memory"], rows)
    part = marked("large", text.rstrip() + "\n")
    with open(path, encoding="utf-8") as file:
        page = file.read()
    had = "<!-- large -->" in page
    save(path, page.replace(kept(path, "large"), part) if had else page.replace("<!-- typing -->", part + "\n<!-- typing -->", 1))


def fleets(images, of_fleets):
    series, rows, measured = {}, [], 0
    for one in of_fleets:
        for row in one["rows"]:
            name = f"{row['who']}: {row['what']}"
            if row["cpu"]:
                series.setdefault(name, []).append((one["nodes"], row["cpu"]))
            measured = row.get("measured_nodes", measured)
            counts = [str(one["nodes"]), str(one["files"]), str(one["keys"])]
            rows.append([*counts, row["what"], row["who"], seconds(row["cpu"]), seconds(row["wall"]), size(row["memory"])])
    chosen = {name: line for name, line in series.items() if name.split(": ")[1] in ("all keys of all nodes", "diff of one edited line", "check")}
    save(f"{images}/performance-fleets.svg", plot("Many nodes", "nodes", "CPU time", chosen, str, seconds))
    return FLEETS.format(measured=measured) + table(["nodes", "files", "keys", "what", "who", "CPU time", "time", "memory"], rows)


def machine():
    """What was measured on, as far as it matters."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    ruby = subprocess.run(["ruby", "-e", "require 'puppet'; print \"Ruby #{RUBY_VERSION}, Puppet #{Puppet.version}\""], stdout=subprocess.PIPE, text=True)
    name = model.group(1).strip() if model else "an unknown processor"
    return f"Measured on {os.cpu_count()} cores of {name}, with {ruby.stdout}."


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n\n"


def kept(path, name):
    """The part of the page between `<!-- name -->` and `<!-- /name -->`, with these marks."""
    try:
        with open(path, encoding="utf-8") as file:
            found = re.search(rf"<!-- {name} -->.*<!-- /{name} -->\n", file.read(), re.S)
    except FileNotFoundError:
        found = None
    return found.group(0) if found else marked(name, "")


def marked(name, text):
    return f"<!-- {name} -->\n{text}<!-- /{name} -->\n"


def save(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
