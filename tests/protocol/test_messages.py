"""Tests that the checks of messages.py can fail."""

from messages import problem_of


def answer(result):
    return {"jsonrpc": "2.0", "id": 1, "result": result}


def hover(result):
    return problem_of(answer(result), {1: "textDocument/hover"})


def test_what_is_wrong_is_seen():
    good = {"contents": {"kind": "markdown", "value": "x"}}
    assert hover(None) is None
    assert hover(good) is None
    assert "refused" in hover({"contents": {"kind": "prose", "value": "x"}})
    assert "refused" in hover({})
    assert "/result/mood" in hover({**good, "mood": "fine"})
    assert "nothing" in problem_of(answer(None), {})
    assert "has no" in problem_of({"jsonrpc": "2.0", "method": "textDocument/nonsense"}, {})
