// How much memory a very long feed takes: none that grows with it.
import assert from "node:assert/strict";

Deno.test("A feed of 20,000 items and 100 MB takes at most 64 MB over the idle process", async () => {
  const script = new URL("./long_feed.ts", import.meta.url).pathname;
  const args = ["run", "--allow-all", "--no-check", script];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const { found, size, over } = JSON.parse(new TextDecoder().decode(stdout));
  assert.equal(found, 20_000);
  assert.ok(size > 99_000_000, `${size} bytes`);
  assert.ok(over < 64_000_000, `${(over / 1e6).toFixed(0)} MB`);
});
