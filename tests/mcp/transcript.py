"""Holds a transcript of tee.py's to the protocol's own JSON Schemas."""

import json
import pathlib

LEGACY, MODERN = "2025-11-25", "2026-07-28"
VERSION = "io.modelcontextprotocol/protocolVersion"

RESULTS = {"initialize": "InitializeResult", "server/discover":
           "DiscoverResult", "ping": "EmptyResult",
           "tools/list": "ListToolsResult", "tools/call": "CallToolResult",
           "resources/list": "ListResourcesResult",
           "resources/templates/list": "ListResourceTemplatesResult",
           "resources/read": "ReadResourceResult",
           "prompts/list": "ListPromptsResult",
           "prompts/get": "GetPromptResult"}


class Schemas:
    """Schemas in a folder as the protocol's repository has it: VERSION/schema.json.
    By default those parts of it that are needed here."""

    def __init__(self, folder=None):
        folder = folder or pathlib.Path(__file__).parent / "schemas"
        import jsonschema
        self.validators = {}
        for version in (LEGACY, MODERN):
            document = json.loads(
                (pathlib.Path(folder) / version / "schema.json").read_text())
            self.validators[version] = (jsonschema.Draft202012Validator,
                                        document)

    def check(self, version, name, value):
        validator, document = self.validators[version]
        schema = {"$ref": f"#/$defs/{name}", "$defs": document["$defs"]}
        errors = [f"{name} of {version}: {error.message[:200]} at "
                  f"{list(error.path)}"
                  for error in validator(schema).iter_errors(value)]
        assert not errors, "\n".join(errors[:3])


def tools_agree(tool_schemas, name, result):
    """What a tool returned is what its own schema says."""
    import jsonschema
    if result.get("isError"):
        return
    jsonschema.Draft202012Validator(tool_schemas[name]).validate(
        result["structuredContent"])


def check(lines, schemas):
    """Takes lines of bytes; returns how many of the server's were checked."""
    asked, tool_schemas, checked = {}, {}, 0
    for line in lines:
        sender, text = line[:2], line[2:].decode("utf-8")
        if sender == b"> ":
            message = json.loads(text)
            if "id" in message:
                asked[json.dumps(message["id"])] = message
            continue
        message = json.loads(text)
        checked += 1
        if message.get("method") == "notifications/progress":
            schemas.check(MODERN, "ProgressNotification", message)
            continue
        request = asked.get(json.dumps(message.get("id")))
        assert request is not None, f"nobody asked: {text[:200]}"
        meta = request.get("params", {}).get("_meta", {})
        version = MODERN if VERSION in meta else LEGACY
        if "error" in message:
            schemas.check(version, "JSONRPCErrorResponse", message)
            continue
        result = message["result"]
        schemas.check(version, RESULTS[request["method"]], result)
        assert ("resultType" in result) == (version == MODERN), text[:200]
        if request["method"] == "tools/list":
            tool_schemas.update({tool["name"]: tool["outputSchema"]
                                 for tool in result["tools"]})
        name = request.get("params", {}).get("name")
        if request["method"] == "tools/call" and name in tool_schemas:
            tools_agree(tool_schemas, name, result)
    return checked
