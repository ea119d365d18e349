"""Checks whether every message of a record follows the protocol. lsprotocol reads each message and writes it again: a message that
it refuses is wrong, and a member that does not come back is not part of the protocol."""

import json

from lsprotocol import converters, types

CONVERTER = converters.get_converter()

#: Methods of our own; docs/protocol.md describes them.
OWN = "hiera/"


def problems_of(record):
    """A sentence for each message of the server in the file `record` that is wrong, and how many were right."""
    problems, checked, asked = [], 0, {}
    for line in open(record, encoding="utf-8"):
        entry = json.loads(line)
        message = entry["message"]
        if entry["from"] == "client":
            if "method" in message and "id" in message:
                asked[message["id"]] = message["method"]
            continue
        problem = problem_of(message, asked)
        checked += 1
        if problem:
            problems.append(f"{problem}: {json.dumps(message)[:400]}")
    problems.extend(f"{method} (id {id}) was never answered" for id, method in asked.items())
    return problems, checked


def problem_of(message, asked):
    if message.get("jsonrpc") != "2.0":
        return "no JSON-RPC 2.0"
    if "method" in message:
        method = message["method"]
        kind = 0
    else:
        method = asked.pop(message.get("id"), None)
        if method is None:
            return "an answer to nothing, or a second one"
        if "error" in message:
            return None if set(message["error"]) <= {"code", "message", "data"} else "an odd error"
        kind = 1
    if method.startswith(OWN) or method.startswith("$/"):
        return None
    known = types.METHOD_TO_TYPES.get(method)
    if known is None:
        return f"the protocol has no {method}"
    try:
        read = CONVERTER.structure(message, known[kind])
    except Exception as error:  # whatever it is, the message is wrong
        return f"{method} is refused: {error!r}"
    lost = lost_in(message, CONVERTER.unstructure(read, unstructure_as=known[kind]), "")
    return f"{method} has more than the protocol knows: {lost}" if lost else None


def lost_in(sent, known, path):
    """The path of something in `sent` that is not in `known`."""
    if isinstance(sent, dict) and isinstance(known, dict):
        for name, value in sent.items():
            if name not in known and value is not None:
                return f"{path}/{name}"
            if name in known and (lost := lost_in(value, known[name], f"{path}/{name}")):
                return lost
    elif isinstance(sent, list) and isinstance(known, (list, tuple)):
        if len(sent) != len(known):
            return f"{path} is shorter"
        for number, (one, other) in enumerate(zip(sent, known)):
            if lost := lost_in(one, other, f"{path}/{number}"):
                return lost
    return None
