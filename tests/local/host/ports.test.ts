import assert from "node:assert/strict";
import { freePort } from "../../../local/host/ports.ts";

Deno.test("freePort returns no port twice within minutes, even if none listens yet", () => {
  const ports = Array.from({ length: 400 }, freePort);
  assert.equal(new Set(ports).size, ports.length);
});
