import assert from "node:assert/strict";
import { freePort } from "../../local/ports.ts";

Deno.test("freePort gives no port twice within minutes, even while nothing listens on it yet", () => {
  const ports = Array.from({ length: 400 }, freePort);
  assert.equal(new Set(ports).size, ports.length);
});
