"""Many nodes: all answers, what an edit changes, and a check of everything; beside Puppet, asked in its own process."""

import glob
import json
import os
import random
import subprocess

from .measure import run

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def environment(directory, nodes, keys, modules):
    """Writes an environment, in a repository of Git; what is in it."""
    counts = ["--nodes", str(nodes), "--keys", str(keys), "--modules", str(modules)]
    written = subprocess.run([f"{HERE}/environment", directory, *counts], check=True, stdout=subprocess.PIPE)
    git = ["git", "-C", directory, "-c", "user.name=x", "-c", "user.email=x@example.com"]
    # Git would pack the objects in the background, while the programs are measured.
    git += ["-c", "gc.auto=0", "-c", "maintenance.auto=false"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "x"], check=True)
    return json.loads(written.stdout)


def measure(program, directory, limit, puppet_nodes):
    """What the fleet of an environment costs, row by row: what was asked, who answered, seconds and bytes."""
    facts = directory + ".facts"
    fleet = ["--root", directory, "--facts", facts]
    rows = [("all keys of all nodes", run([program, "lookup", *fleet, "--all", "--render-as", "jsonl"], limit=limit))]
    with open(f"{directory}/data/common.yaml", encoding="utf-8") as file:
        text = file.read()
    lines = text.split("\n")
    # The last scalar among the values: it is not referred to.
    at = max(number for number, line in enumerate(lines[: lines.index("lookup_options:")]) if line.startswith("profile") and line.endswith('"'))
    lines[at] = lines[at].rsplit(" ", 1)[0] + " edited"
    with open(f"{directory}/data/common.yaml", "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    rows.append(("diff of one edited line", run([program, "diff", *fleet], limit=limit)))
    with open(f"{directory}/data/common.yaml", "w", encoding="utf-8") as file:
        file.write(text)
    rows.append(("diff of nothing", run([program, "diff", *fleet], limit=limit)))
    rows.append(("check", run([program, "check", directory], cwd=directory, limit=limit)))
    found = [{"what": what, "who": "hiera-ls", **costs(cost)} for what, cost in rows]
    return found + ([puppet(program, directory, facts, puppet_nodes)] if puppet_nodes else [])


def costs(cost):
    if cost is None:
        return {"cpu": None, "wall": None, "memory": None}
    return {"cpu": cost.cpu, "wall": cost.wall, "memory": cost.memory}


def puppet(program, directory, facts, count):
    """Puppet's time for all keys of some nodes, and what all nodes would take at that rate."""
    sets = sorted(glob.glob(f"{facts}/*.json"))
    some = random.Random(1).sample(sets, min(count, len(sets)))
    name = os.path.basename(sets[0])[: -len(".json")]
    one = run([program, "lookup", "--root", directory, "--facts", facts, "--nodes", name, "--all", "--render-as", "jsonl"], keep=True)
    keys = [json.loads(line)["key"] for line in one.output.splitlines()]
    with open(directory + ".keys", "w", encoding="utf-8") as file:
        file.write("".join(f"{key}\n" for key in keys))
    asked = run(["ruby", f"{HERE}/puppet_fleet.rb", directory, directory + ".keys", *some], keep=True)
    said = json.loads(asked.output)
    each = sum(said["nodes"]) / len(said["nodes"])
    return {
        "what": "all keys of all nodes", "who": "Puppet", "cpu": each * len(sets), "wall": None, "memory": asked.memory,
        "measured_nodes": len(some), "cpu_of_a_node": each, "keys": len(keys), "nodes": len(sets),
    }
