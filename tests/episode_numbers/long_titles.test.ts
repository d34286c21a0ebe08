// What long titles and GUIDs cost at the start of an import: detection keeps what it reads of each item until the feed is over.
import assert from "node:assert/strict";
import { createDetectionBuffer } from "../../functions/imports/detection_buffer.ts";
import { item } from "./long_titles.ts";

Deno.test("Finding the numbers of 20,000 items with titles of 9 KB takes at most 256 MB over the idle process", async () => {
  const script = new URL("./long_titles.ts", import.meta.url).pathname;
  const command = new Deno.Command(Deno.execPath(), { args: ["run", "--allow-all", "--no-check", script] });
  const { success, stdout, stderr } = await command.output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const { found, over } = JSON.parse(new TextDecoder().decode(stdout));
  assert.equal(found, 20_000);
  assert.ok(over < 256_000_000, `${(over / 1e6).toFixed(0)} MB`);
});

Deno.test("Of a long title its beginning and end are kept; an item whose GUID no episode can have is left out", () => {
  const numbered = createDetectionBuffer();
  numbered.add(item(7));
  numbered.add({ ...item(8), guid: "é".repeat(1000) });
  numbered.add({ ...item(9), guid: "🚂".repeat(600) });
  numbered.add({ ...item(10), guid: "g".repeat(1001) });
  const kept = numbered.list();
  assert.deepEqual(kept.map(({ title }) => Number(/\d+$/.exec(title!)![0])), [7, 8, 9]);
  for (const { title } of kept) assert.match(title!, /^Episode \d: sleeper .{200,300} \d$/);
});
