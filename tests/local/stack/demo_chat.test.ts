// The stack's incoming webhook, in place of Slack's.
import assert from "node:assert/strict";
import { stack } from "../../stack.ts";

const at = await stack();
const url = `${at.url}/demo/chat`;

const post = async (body: string) => {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return [response.status, await response.text()];
};

Deno.test("the demo chat accepts a message with a text and lists it with its headers", async () => {
  const text = crypto.randomUUID();
  assert.deepEqual(await post(JSON.stringify({ text, blocks: [] })), [200, "ok"]);
  const messages: { body: { text: string }; headers: Record<string, string> }[] = await (await fetch(url)).json();
  const message = messages.find(({ body }) => body.text === text)!;
  assert.deepEqual(message.body, { text, blocks: [] });
  assert.equal(message.headers["content-type"], "application/json");
});

Deno.test("the demo chat rejects a body without a text and one that is not JSON, as Slack does", async () => {
  assert.deepEqual(await post("{}"), [400, "no_text"]);
  assert.deepEqual(await post("null"), [400, "no_text"]);
  assert.deepEqual(await post("{"), [400, "invalid_payload"]);
  assert.deepEqual(await post("[".repeat(100)), [400, "invalid_payload"]);
  assert.deepEqual(await post(JSON.stringify({ text: "x".repeat(2 ** 20) })), [400, "invalid_payload"]);
});

Deno.test("the demo chat takes no other methods", async () => {
  const response = await fetch(url, { method: "DELETE" });
  assert.deepEqual([response.status, await response.text()], [405, "method_not_allowed"]);
});
