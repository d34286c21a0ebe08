import assert from "node:assert/strict";
import { createLruCache } from "../../functions/runtime/lru_cache.ts";

Deno.test("the cache limits count and bytes and evicts the least recently used values", () => {
  const values = createLruCache<string>({ maxCount: 3, maxBytes: 10 });
  const kept = () => ["a", "b", "c", "d"].filter((key) => values.get(key) !== undefined).join("");
  for (const key of ["a", "b", "c"]) values.set(key, key, 1);
  assert.equal(values.get("a"), "a");
  assert.equal(values.peek("b"), "b"); // which does not keep it
  values.set("d", "d", 1);
  assert.equal(kept(), "acd");
  values.set("d", "d", 9); // 11 bytes with a and c
  assert.equal(kept(), "cd");
  values.set("b", "b", 11); // more than all of the room
  assert.equal(kept(), "cd");
  values.delete("d");
  values.delete("d");
  values.set("a", "a", 9);
  assert.equal(kept(), "ac");
});
