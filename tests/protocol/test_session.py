"""Uses all features in one session for each editor that pytest-lsp knows, and then checks every received message."""

import asyncio
import json
import os
import pathlib
import sys

import pytest
import pytest_lsp
from lsprotocol import types
from messages import CONVERTER, OWN, problems_of
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

HERE = pathlib.Path(__file__).parent
ROOT = pathlib.Path(os.environ["HIERA_ROOT"])
RECORDS = pathlib.Path(os.environ["HIERA_RECORDS"])
EDITORS = ["neovim", "visual_studio_code", "emacs"]

#: What is opened and asked about; the places are found by text: the file, a piece of a line, and how far into it.
FILES = [
    "hiera.yaml",
    "data/common.yaml",
    "data/nodes/web01.kittiwake.example.yaml",
    "data/harbours/bergen.json",
    "modules/timesync/data/common.yaml",
    "site-modules/profile/manifests/web.pp",
]
PLACES = [
    ("data/common.yaml", "company::domain: ", 3),
    ("data/common.yaml", "lookup('company::domain')", 10),
    ("data/common.yaml", "facts.networking.hostname", 8),
    ("data/common.yaml", "profile::base::accounts:", 3),
    ("data/common.yaml", "merge: unique", 8),
    ("data/common.yaml", '"^profile::', 4),
    ("data/nodes/web01.kittiwake.example.yaml", "profile::base::packages", 3),
    ("data/harbours/bergen.json", "harbour::name", 3),
    ("hiera.yaml", "trusted.certname", 3),
    ("hiera.yaml", "path", 1),
    ("site-modules/profile/manifests/web.pp", "$worker_processes", 3),
    ("site-modules/profile/manifests/web.pp", "profile::web", 3),
]

#: Requests about a place, with what they take beside it.
AT_A_PLACE = {
    "textDocument/hover": {},
    "textDocument/definition": {},
    "textDocument/declaration": {},
    "textDocument/implementation": {},
    "textDocument/references": {"context": {"includeDeclaration": True}},
    "textDocument/documentHighlight": {},
    "textDocument/completion": {"context": {"triggerKind": 1}},
    "textDocument/prepareRename": {},
    "textDocument/prepareCallHierarchy": {},
    "hiera/mergedValue": {},
    "hiera/explain": {},
    "hiera/allNodes": {},
    "hiera/levelUp": {},
    "hiera/levelDown": {},
}

#: Requests about a file, each with the server's capability without which it is not made.
ABOUT_A_FILE = {
    "textDocument/documentSymbol": "documentSymbolProvider",
    "textDocument/documentLink": "documentLinkProvider",
    "textDocument/foldingRange": "foldingRangeProvider",
    "textDocument/diagnostic": "diagnosticProvider",
    "textDocument/codeLens": "codeLensProvider",
    "textDocument/semanticTokens/full": "semanticTokensProvider",
}


def server(editor):
    command = [os.environ["HIERA_LS"], "server"]
    return [sys.executable, str(HERE / "record.py"), str(RECORDS / f"{editor}.jsonl"), *command]


def uri(path):
    return (ROOT / path).as_uri()


def position(path, text, offset):
    for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines()):
        if text in line:
            return {"line": number, "character": line.index(text) + offset}
    raise AssertionError(f"there is no {text} in {path}")


class Session:
    """A client that knows what its server can do."""

    def __init__(self, client, capabilities):
        self.client = client
        self.can = CONVERTER.unstructure(capabilities)
        self.refused = []

    async def ask(self, method, params):
        """The answer in the words of the protocol; an error is an answer, too."""
        if not method.startswith(OWN):
            params = CONVERTER.structure(params, types.METHOD_TO_TYPES[method][2])
        try:
            answer = await asyncio.wait_for(self.client.protocol.send_request_async(method, params), 30)
        except asyncio.TimeoutError:
            raise AssertionError(f"{method} is not answered") from None
        except Exception as error:
            self.refused.append((method, str(error)))
            return None
        return answer if method.startswith(OWN) else CONVERTER.unstructure(answer)


async def start(editor):
    config = ClientServerConfig(server_command=server(editor))
    client = config.client_factory()
    await client.start_io(*config.server_command)
    result = await client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(editor),
            root_uri=ROOT.as_uri(),
            workspace_folders=[types.WorkspaceFolder(uri=ROOT.as_uri(), name="sample")],
        )
    )
    return Session(client, result.capabilities)


def open_file(session, path):
    document = types.TextDocumentItem(
        uri=uri(path), language_id="yaml", version=1, text=(ROOT / path).read_text(encoding="utf-8")
    )
    session.client.text_document_did_open(types.DidOpenTextDocumentParams(document))


async def all_places(session):
    answered = set()
    for path, text, offset in PLACES:
        place = {"textDocument": {"uri": uri(path)}, "position": position(path, text, offset)}
        for method, more in AT_A_PLACE.items():
            answer = await session.ask(method, {**place, **more})
            if not answer:
                continue
            answered.add(method)
            if method == "textDocument/completion":
                for item in answer["items"][:3]:
                    await session.ask("completionItem/resolve", item)
            if method == "textDocument/prepareCallHierarchy":
                await session.ask("callHierarchy/incomingCalls", {"item": answer[0]})
                await session.ask("callHierarchy/outgoingCalls", {"item": answer[0]})
    return answered


async def all_files(session):
    for path in FILES:
        document = {"textDocument": {"uri": uri(path)}}
        for method, capability in ABOUT_A_FILE.items():
            if session.can.get(capability):
                answer = await session.ask(method, document)
                if method == "textDocument/codeLens":
                    for lens in answer or []:
                        await session.ask("codeLens/resolve", lens)
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 40, "character": 0}}
        positions = [{"line": 0, "character": 0}, {"line": 7, "character": 6}]
        await session.ask("textDocument/selectionRange", {**document, "positions": positions})
        if session.can.get("inlayHintProvider"):
            await session.ask("textDocument/inlayHint", {**document, "range": whole})
        if session.can.get("codeActionProvider"):
            await session.ask("textDocument/codeAction", {**document, "range": whole, "context": {"diagnostics": []}})


def parts_of(editor, token):
    """What came as progress under a token, as one list."""
    items = []
    for line in open(RECORDS / f"{editor}.jsonl", encoding="utf-8"):
        message = json.loads(line)["message"]
        if message.get("method") == "$/progress" and message["params"]["token"] == token:
            value = message["params"]["value"]
            items.extend(value["items"] if isinstance(value, dict) else value)
    return items


async def in_parts(session, editor):
    """Asks for long answers with a token: all of each comes as progress, and none of it in the answer."""
    place = {
        "textDocument": {"uri": uri("data/common.yaml")},
        "position": position("data/common.yaml", "company::domain: ", 3),
        "context": {"includeDeclaration": True},
    }
    asked = {"textDocument/references": place, "workspace/symbol": {"query": "company"}}
    for method, params in asked.items():
        whole = await session.ask(method, params)
        rest = await session.ask(method, {**params, "partialResultToken": method})
        assert whole and rest == [] and parts_of(editor, method) == whole
    if session.can.get("diagnosticProvider"):
        params = {"previousResultIds": []}
        whole = await session.ask("workspace/diagnostic", params)
        rest = await session.ask("workspace/diagnostic", {**params, "partialResultToken": "findings"})
        assert rest["items"] == [] and parts_of(editor, "findings") == whole["items"]


async def renames(session):
    place = {
        "textDocument": {"uri": uri("data/common.yaml")},
        "position": position("data/common.yaml", "company::domain: ", 3),
    }
    edit = await session.ask("textDocument/rename", {**place, "newName": "company::zone"})
    assert edit
    assert await session.ask("textDocument/rename", {**place, "newName": "company::name"}) is None
    assert session.refused[-1][0] == "textDocument/rename"
    if session.can["workspace"].get("fileOperations"):
        rename = {"oldUri": uri("data/common.yaml"), "newUri": uri("data/base.yaml")}
        await session.ask("workspace/willRenameFiles", {"files": [rename]})


async def assumptions(session):
    """With no node chosen, answers have cases; one is assumed, and forgotten."""
    await session.ask("hiera/selectNode", {"name": None})
    place = {
        "textDocument": {"uri": uri("data/common.yaml")},
        "position": position("data/common.yaml", "profile::base::sysctl:", 3),
    }
    cases = await session.ask("hiera/cases", place)
    assert [case["when"] for case in cases] == ["trusted.extensions.pp_role is database", "otherwise"]
    assert cases[0]["variables"] == {"trusted.extensions.pp_role": "database"}
    assert "vm.overcommit_memory" in (await session.ask("hiera/mergedValue", place)).text
    hover = await session.ask("textDocument/hover", place)
    assert "if trusted.extensions.pp" in hover["contents"]["value"]
    node = await session.ask("hiera/assume", {"variables": {"trusted.extensions.pp_role": "database"}})
    assert "trusted.extensions.pp_role" not in node.open
    assert await session.ask("hiera/cases", place) == []
    hover = await session.ask("textDocument/hover", place)
    assert "if trusted.extensions.pp" not in hover["contents"]["value"]
    node = await session.ask("hiera/assume", {"variables": {}})
    assert "trusted.extensions.pp_role" in node.open and node.assumed == []


async def typing(session):
    """Breaks a line, has its completions and diagnostics, and mends it again."""
    path = "data/common.yaml"
    at = {"line": 0, "character": 0}
    broken = "half: \"%{lookup('company::\n"
    for version, (end, text) in enumerate([(at, broken), ({"line": 1, "character": 0}, "")], start=2):
        change = {
            "textDocument": {"uri": uri(path), "version": version},
            "contentChanges": [{"range": {"start": at, "end": end}, "text": text}],
        }
        change = CONVERTER.structure(change, types.DidChangeTextDocumentParams)
        session.client.text_document_did_change(change)
        cursor = {"line": 0, "character": len(broken) - 1}
        found = await session.ask("textDocument/completion", {"textDocument": {"uri": uri(path)}, "position": cursor})
        if version == 2:
            assert any(item["label"] == "company::domain" for item in found["items"])
        await session.ask("textDocument/diagnostic", {"textDocument": {"uri": uri(path)}})


@pytest.mark.parametrize("editor", EDITORS)
async def test_every_message_is_what_the_protocol_says(editor):
    session = await start(editor)
    for path in FILES:
        open_file(session, path)
    answered = await all_places(session)
    assert answered == set(AT_A_PLACE), "every feature has something to say somewhere"
    await all_files(session)
    await session.ask("workspace/symbol", {"query": "profile"})
    await in_parts(session, editor)
    nodes = await session.ask("hiera/nodes", None)
    assert len(nodes) == 3
    await assumptions(session)
    await session.ask("hiera/selectNode", {"name": "db01.kittiwake.example"})
    await renames(session)
    await typing(session)
    await session.client.shutdown_session()
    await session.client.stop()
    unexpected = [it for it in session.refused if it[0] not in ("textDocument/rename", "textDocument/prepareRename")]
    assert unexpected == []
    problems, checked = problems_of(RECORDS / f"{editor}.jsonl")
    assert problems == []
    assert checked > 150
