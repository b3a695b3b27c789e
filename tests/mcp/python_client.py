#!/usr/bin/env python3
"""A tour of `coppice mcp` by a client in Python: the packages mcp (1.x and
2.x) and fastmcp.

usage: python_client.py mcp2:MODE|mcp1|fastmcp:MODE PROGRAM ARGUMENT...
       python_client.py mcp2:MODE|fastmcp:MODE URL TOKEN
"""

import asyncio
import contextlib
import sys

RIGHT = """#include <cstdint>
extern "C" void run(const float* x, float* y, int64_t R, int64_t C) {
  for (int64_t i = 0; i < R; ++i) {
    float sum = 0.0f;
    for (int64_t j = 0; j < C; ++j) sum += x[i * C + j];
    y[i] = sum;
  }
}
"""


class Two:
    """mcp 2.x."""

    def __init__(self, client):
        self.client = client

    async def tools(self):
        return (await self.client.list_tools()).tools

    async def call(self, name, arguments, progress=None, timeout=None):
        return await self.client.call_tool(
            name, arguments, read_timeout_seconds=timeout,
            progress_callback=progress)

    async def read(self, uri):
        return (await self.client.read_resource(uri)).contents[0].text

    async def templates(self):
        return (await self.client.list_resource_templates()).resource_templates

    async def prompt(self, name, arguments):
        return (await self.client.get_prompt(name, arguments)).messages


class One(Two):
    """mcp 1.x: a session has the names of a client, and other types."""

    async def call(self, name, arguments, progress=None, timeout=None):
        import datetime
        if timeout is not None:
            timeout = datetime.timedelta(seconds=timeout)
        return await super().call(name, arguments, progress, timeout)

    async def read(self, uri):
        from pydantic import AnyUrl
        return await super().read(AnyUrl(uri))

    async def templates(self):
        return (await self.client.list_resource_templates()).resourceTemplates


class Fast(Two):
    """fastmcp."""

    async def tools(self):
        return await self.client.list_tools()

    async def call(self, name, arguments, progress=None, timeout=None):
        return await self.client.call_tool(
            name, arguments, timeout=timeout, progress_handler=progress,
            raise_on_error=False)

    async def read(self, uri):
        return (await self.client.read_resource(uri))[0].text

    async def templates(self):
        return await self.client.list_resource_templates()


@contextlib.asynccontextmanager
async def connect(kind, mode, where):
    is_http = where[0].startswith("http://")
    if kind == "mcp2":
        from mcp import Client, StdioServerParameters
        if is_http:
            import httpx2
            from mcp.client.streamable_http import streamable_http_client
            headers = {"Authorization": "Bearer " + where[1]}
            async with httpx2.AsyncClient(headers=headers) as http:
                transport = streamable_http_client(where[0], http_client=http)
                async with Client(transport, mode=mode) as client:
                    yield Two(client)
            return
        server = StdioServerParameters(command=where[0], args=where[1:])
        async with Client(server, mode=mode) as client:
            yield Two(client)
    elif kind == "mcp1":
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client
        server = StdioServerParameters(command=where[0], args=where[1:])
        async with stdio_client(server) as (read, write):
            async with ClientSession(read, write) as session:
                await session.initialize()
                yield One(session)
    else:
        from fastmcp import Client
        from fastmcp.client.transports import (StdioTransport,
                                               StreamableHttpTransport)
        transport = (StreamableHttpTransport(where[0], auth=where[1])
                     if is_http else
                     StdioTransport(command=where[0], args=where[1:]))
        async with Client(transport, mode=mode) as client:
            yield Fast(client)


def of(result, *names):
    """The first of the names that the result's type has."""
    for name in names:
        if hasattr(result, name):
            return getattr(result, name)
    raise AttributeError(names)


async def tour(client):
    names = [tool.name for tool in await client.tools()]
    assert "evaluate_kernel" in names and len(names) <= 15, names
    told = []

    async def hear(progress, total, message):
        told.append((progress, message))

    result = await client.call(
        "evaluate_kernel",
        {"task": "row_sum", "source": RIGHT, "tier": "check"}, progress=hear)
    got = of(result, "structured_content", "structuredContent")
    assert got["verdict"] == "passed", got
    # The same kernel again is known, and then there is nothing to tell of.
    assert told or got["cached"], "no progress"
    result = await client.call(
        "evaluate_kernel", {"task": "row_sum", "source": "int x = ;",
                            "tier": "check"})
    assert of(result, "structured_content",
              "structuredContent")["verdict"] == "compile_failed"
    assert "untrusted" in result.content[1].text
    result = await client.call("describe_task", {"task": "row_sumx"})
    assert of(result, "is_error", "isError"), result
    assert "row_sum" in result.content[0].text, result.content
    try:
        unknown = await client.call("evaluate_kernal", {})
        raise SystemExit(f"an unknown tool: {unknown}")
    except Exception as error:  # Each package has its own.
        assert "evaluate_kernel" in str(error), error
    try:
        await client.call("evaluate_kernel",
                          {"task": "row_sum", "source": RIGHT + "// slow\n",
                           "tier": "full", "wait_s": 30}, timeout=0.7)
        raise SystemExit("it took no time")
    except Exception as error:
        assert "tim" in str(error).lower(), error
    assert len(await client.templates()) == 4
    assert "CREATE VIEW" in await client.read("coppice://schema")
    assert "void run" in await client.read("coppice://task/row_sum/root")
    messages = await client.prompt("optimise", {"task": "row_sum"})
    assert "row_sum" in messages[0].content.text


async def main():
    kind, _, mode = sys.argv[1].partition(":")
    async with connect(kind, mode, sys.argv[2:]) as client:
        await tour(client)
    print("as wanted")


if __name__ == "__main__":
    asyncio.run(main())
