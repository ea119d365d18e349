"""Uses `hiera-ls mcp` as an assistant would, with the protocol's own client: mcp_client.py SERVER SAMPLE"""

import asyncio
import subprocess
import shutil
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SERVER, SAMPLE = sys.argv[1:]
SECRET = "correct-horse-battery"


def repository():
    """A copy of the sample with a commit, an edit and a secret."""
    folder = tempfile.mkdtemp()
    shutil.copytree(SAMPLE, folder, dirs_exist_ok=True)
    git = lambda *words: subprocess.run(
        ["git", "-C", folder, "-c", "user.name=x", "-c", "user.email=x@localhost", *words], check=True, capture_output=True
    )
    git("init", "--quiet")
    with open(f"{folder}/data/common.yaml", "a") as file:
        file.write(f"vault::token: {SECRET}\nlookup_options: {{vault::token: {{convert_to: Sensitive}}}}\n")
    git("add", "-A")
    git("commit", "--quiet", "--message", "x")
    return folder


async def main():
    folder = repository()
    said = []
    server = StdioServerParameters(command=SERVER, args=["mcp", "--root", folder])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        start = await session.initialize()
        info = getattr(start, "server_info", None) or start.serverInfo
        assert info.name == "hiera-ls", info

        async def ask(tool, **arguments):
            answer = await session.call_tool(tool, arguments)
            text = "".join(part.text for part in answer.content)
            said.append(text)
            is_error = getattr(answer, "is_error", None)
            return text, answer.isError if is_error is None else is_error

        tools = (await session.list_tools()).tools
        names = sorted(tool.name for tool in tools)
        assert names == ["check", "diff", "explain", "lookup", "nodes", "uses"], names
        for tool in tools:
            hint = getattr(tool.annotations, "read_only_hint", None)
            assert hint if hint is not None else tool.annotations.readOnlyHint, tool.name

        node = "web01.kittiwake.example"
        text, failed = await ask("lookup", key="timesync::servers", node=node)
        assert not failed and "time1.kittiwake.example" in text and "data/common.yaml:" in text, text
        text, failed = await ask("explain", key="timesync::servers", node=node)
        assert not failed and "common.yaml" in text, text
        text, failed = await ask("nodes")
        assert not failed and node in text, text
        text, failed = await ask("uses", key="timesync::servers")
        assert not failed and "timesync/manifests/init.pp" in text, text
        text, failed = await ask("diff", revision="HEAD")
        assert not failed, text
        # An edit counts at once.
        with open(f"{folder}/data/common.yaml", "a") as file:
            file.write("extra::key: 1\nextra::key: 2\n")
        text, failed = await ask("diff", revision="HEAD")
        assert not failed and "extra::key" in text, text
        text, failed = await ask("check", rules=["duplicate-key"])
        assert not failed and "data/common.yaml" in text and "duplicate-key" in text, text
        text, failed = await ask("check", paths=["../elsewhere"])
        assert failed and "below the repository" in text, text
        text, failed = await ask("lookup", key="no::such::key", node=node)
        assert "no::such::key" in text, text
        for tool in ("lookup", "explain"):
            await ask(tool, key="vault::token", node=node)
    assert not any(SECRET in text for text in said), [text for text in said if SECRET in text]
    assert max(map(len, said)) < 20_000
    shutil.rmtree(folder)
    print(f"{len(said)} answers, the longest of {max(map(len, said))} characters")


asyncio.run(main())
