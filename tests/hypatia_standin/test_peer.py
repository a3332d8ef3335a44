"""An MCP client that is not ours, the package `mcp`, speaks to the stand-in (hypatia.md sections 3-5 and 11; H40).

It has an environment of its own (`make extras`), since the project depends on no such library; elsewhere this file is
skipped by name.
"""

import asyncio
import importlib.util
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypatia_home import HypatiaHome

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mcp") is None,
    reason="needs the package mcp, which is kept in an environment of its own: make extras",
)


def speak(home: HypatiaHome, talk: Callable[[Any], Awaitable[None]]) -> None:
    """Open a session with the peer's own transport and let it talk."""
    from mcp import ClientSession, StdioServerParameters, stdio_client

    async def session() -> None:
        server = StdioServerParameters(command=str(home.binary), args=["mcp"])
        async with stdio_client(server) as (read, write), ClientSession(read, write) as client:
            await talk(client)

    asyncio.run(asyncio.wait_for(session(), 60))


def test_handshake_and_tools(home: HypatiaHome) -> None:
    """HA215; the peer checks every schema as it reads the list."""

    async def talk(client: Any) -> None:
        hello = await client.initialize()
        assert hello.server_info.name == "hypatia"
        assert hello.server_info.title == "Hypatia"
        assert hello.protocol_version in ("2025-11-25", "2025-06-18")
        assert hello.capabilities.tools.list_changed is False
        assert hello.capabilities.resources.subscribe is False
        assert hello.capabilities.prompts is None
        assert hello.instructions
        listed = await client.list_tools()
        assert listed.next_cursor is None
        tools = {tool.name: tool for tool in listed.tools}
        assert {"knowledge_get", "knowledge_create", "statement_create", "search", "similar", "query"} <= set(tools)
        assert tools["knowledge_get"].annotations.read_only_hint is True
        assert tools["knowledge_create"].input_schema["required"] == ["name"]
        await client.send_ping()

    speak(home, talk)
    methods = [line["message"]["method"] for line in home.received() if line["transport"] == "mcp"]
    assert methods[:2] == ["initialize", "notifications/initialized"]


def test_calls(home: HypatiaHome) -> None:
    """Results are structured, with the same value as text; failures are results (HA218)."""

    async def talk(client: Any) -> None:
        await client.initialize()

        async def call(tool: str, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments)
            text = result.content[0].text
            if result.is_error:
                assert result.structured_content is None
                return text
            assert json.loads(text) == result.structured_content
            return result.structured_content

        text = "Grüße, 世界 \U0001f600\n\u2028 " * 50
        assert (await call("knowledge_create", name="ü", data=text, tags=["a b"], scopes=["p", ""]))["created"] is True
        got = await call("knowledge_get", name="ü")
        assert got["content"]["data"] == text
        assert got["content"]["scopes"] == ["p", ""]
        assert (await call("knowledge_create", name="ü")).startswith("knowledge 'ü' already exists; ")
        assert await call("knowledge_get", name="none") == "not found: knowledge 'none'"
        assert (await call("knowledge_get")).startswith("invalid arguments: ")
        assert "is not connected" in await call("knowledge_get", name="ü", shelf="elsewhere")
        triple = {"head": "ü", "relation": "is_a", "tail": "b"}
        assert [(await call("statement_create", **triple))["created"] for _ in range(2)] == [True, False]
        assert (await call("query", jse=["$statement", ["$eq", "tail", "b"]]))["total_count"] == 1
        assert (await call("search", query="grüße"))["rows"][0]["key"] == "ü"
        assert (await call("similar", query="grüße"))["rows"][0]["name"] == "ü"
        assert (await call("statement_delete", **triple))["deleted"] is True
        assert (await call("knowledge_update", name="ü", data="x"))["changed"] is True
        assert (await call("knowledge_delete", name="ü"))["deleted"] is True
        assert (await call("list_shelves"))["shelves"][0]["name"] == "default"

    speak(home, talk)
    assert [(op.action, op.catalog) for op in home.journal()] == [
        ("create", "knowledge"),
        ("create", "statement"),
        ("delete", "statement"),
        ("update", "knowledge"),
        ("delete", "knowledge"),
    ]


def test_resources(home: HypatiaHome) -> None:
    home.run("knowledge-create", "a b", "--data=x")

    async def talk(client: Any) -> None:
        await client.initialize()
        listed = await client.list_resources()
        assert [str(resource.uri) for resource in listed.resources] == ["hypatia://default/status"]
        templates = await client.list_resource_templates()
        assert len(templates.resource_templates) == 3
        (content,) = (await client.read_resource("hypatia://default/knowledge/a%20b")).contents
        assert content.mime_type == "application/json"
        assert json.loads(content.text)["content"]["data"] == "x"

    speak(home, talk)


def test_error_codes(home: HypatiaHome) -> None:
    """Section 3, as the peer raises them."""
    from mcp import MCPError

    async def talk(client: Any) -> None:
        await client.initialize()

        async def code(awaited: Awaitable[Any]) -> int:
            with pytest.raises(MCPError) as failed:
                await awaited
            return int(failed.value.code)

        assert await code(client.call_tool("no_such_tool", {})) == -32602
        assert await code(client.read_resource("hypatia://default/knowledge/none")) == -32002
        assert await code(client.read_resource("hypatia://elsewhere/status")) == -32002
        assert await code(client.list_prompts()) == -32601
        await client.send_ping()

    speak(home, talk)


def test_an_error_to_the_handshake(home: HypatiaHome) -> None:
    from mcp import MCPError

    home.switch(HANDSHAKE="initialize")

    async def talk(client: Any) -> None:
        with pytest.raises(MCPError) as failed:
            await client.initialize()
        assert failed.value.code == -32603

    speak(home, talk)


def test_a_line_of_garbage(home: HypatiaHome) -> None:
    """What the peer does with it is its own affair; the reply after it arrives."""
    home.switch(GARBAGE="list_shelves=other")

    async def talk(client: Any) -> None:
        await client.initialize()
        result = await client.call_tool("list_shelves", {})
        assert result.structured_content["shelves"][0]["name"] == "default"

    speak(home, talk)


def test_many_at_once(home: HypatiaHome) -> None:
    """The server takes them in order; every reply finds its request."""

    async def talk(client: Any) -> None:
        await client.initialize()
        results = await asyncio.gather(
            *(client.call_tool("knowledge_create", {"name": f"n{number}"}) for number in range(40))
        )
        assert [result.structured_content["name"] for result in results] == [f"n{number}" for number in range(40)]

    speak(home, talk)
    assert sorted(home.names()) == sorted(f"n{number}" for number in range(40))
    assert home.twice() == []
