// Memory of long titles and GUIDs: detection buffers its input until the feed ends.
import assert from "node:assert/strict";
import { createDetectionBuffer } from "../../functions/imports/detection_buffer.ts";
import { item } from "./long_titles.ts";

Deno.test("detection in 20,000 titles of 9 KB takes at most 256 MB over the idle process", async () => {
  const script = new URL("./long_titles.ts", import.meta.url).pathname;
  const command = new Deno.Command(Deno.execPath(), { args: ["run", "--allow-all", "--no-check", script] });
  const { success, stdout, stderr } = await command.output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const { found, over } = JSON.parse(new TextDecoder().decode(stdout));
  assert.equal(found, 20_000);
  assert.ok(over < 256_000_000, `${(over / 1e6).toFixed(0)} MB`);
});

Deno.test("the buffer keeps the beginning and end of a long title and skips an item with a too long GUID", () => {
  const numbered = createDetectionBuffer();
  numbered.add(item(7));
  numbered.add({ ...item(8), guid: "é".repeat(1000) });
  numbered.add({ ...item(9), guid: "🚂".repeat(600) });
  numbered.add({ ...item(10), guid: "g".repeat(1001) });
  const kept = numbered.list();
  assert.deepEqual(kept.map(({ title }) => Number(/\d+$/.exec(title!)![0])), [7, 8, 9]);
  for (const { title } of kept) assert.match(title!, /^Episode \d: sleeper .{200,300} \d$/);
});

Deno.test("the buffer keeps no half of a character where it cuts a title", () => {
  const numbered = createDetectionBuffer();
  numbered.add({ ...item(1), title: "🚂".repeat(200) });
  numbered.add({ ...item(2), title: ` ${"🚂".repeat(200)}` });
  for (const { title } of numbered.list()) assert.ok(title!.isWellFormed());
});
