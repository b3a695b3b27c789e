// A tour of `coppice mcp` by a client in TypeScript's packages: client 2.x and
// sdk 1.x, from the node_modules of the folder that is named.
//
// usage: node_client.mjs FOLDER client:legacy|client:auto|client:pin|sdk
//        PROGRAM ARGUMENT...
import assert from "node:assert";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, kind, command, ...args] = process.argv.slice(2);
const require = createRequire(folder + "/package.json");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const me = { name: "tour", version: "1" };

async function connect() {
  if (kind === "sdk") {
    const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } =
        await load("@modelcontextprotocol/sdk/client/stdio.js");
    const client = new Client(me);
    await client.connect(new StdioClientTransport({ command, args }));
    return [client, undefined];
  }
  const { Client } = await load("@modelcontextprotocol/client");
  const { StdioClientTransport } =
      await load("@modelcontextprotocol/client/stdio");
  const mode = kind.split(":")[1];
  const versionNegotiation =
      { mode: mode === "pin" ? { pin: "2026-07-28" } : mode };
  const client = new Client(me, { versionNegotiation });
  await client.connect(new StdioClientTransport({ command, args }));
  return [client];
}

const right = `#include <cstdint>
extern "C" void run(const float* x, float* y, int64_t R, int64_t C) {
  for (int64_t i = 0; i < R; ++i) {
    float sum = 0.0f;
    for (int64_t j = 0; j < C; ++j) sum += x[i * C + j];
    y[i] = sum;
  }
}
`;

const [client] = await connect();
const call = (name, argumentsOf, options) => kind === "sdk"
    ? client.callTool({ name, arguments: argumentsOf }, undefined, options)
    : client.callTool({ name, arguments: argumentsOf }, options);
const { tools } = await client.listTools();
assert(tools.some((tool) => tool.name === "evaluate_kernel"));
let told = 0;
const passed = await call(
    "evaluate_kernel", { task: "row_sum", source: right, tier: "check" },
    { onprogress: () => { told += 1; } });
assert.equal(passed.structuredContent.verdict, "passed");
assert(told > 0 || passed.structuredContent.cached);
const failed = await call(
    "evaluate_kernel", { task: "row_sum", source: "int x = ;", tier: "check" });
assert.equal(failed.structuredContent.verdict, "compile_failed");
const refused = await call("describe_task", { task: "row_sumx" });
assert.equal(refused.isError, true);
await assert.rejects(call("evaluate_kernal", {}), /evaluate_kernel/);
const slow = { task: "row_sum", source: right + "// slow\n", tier: "full" };
await assert.rejects(call("evaluate_kernel", slow, { timeout: 700 }),
                     /timed out/i);
await assert.rejects(call("evaluate_kernel", slow,
                          { signal: AbortSignal.timeout(300) }));
const schema = await client.readResource({ uri: "coppice://schema" });
assert.match(schema.contents[0].text, /CREATE VIEW/);
const prompt = await client.getPrompt(
    { name: "optimise", arguments: { task: "row_sum" } });
assert.match(prompt.messages[0].content.text, /row_sum/);
await client.close();
console.log("as wanted");
