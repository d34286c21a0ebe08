// Why the driver's Buffer is a constant: each use of the global object's Buffer costs a walk over the stack.
import assert from "node:assert/strict";
import "../../functions/database/buffer_constant.ts";

declare const Buffer: typeof import("node:buffer").Buffer;

Deno.test("modules do not ask the global object for Buffer once buffer_constant.ts is imported", () => {
  // deno-lint-ignore no-explicit-any -- as packages see it
  const globals = globalThis as any, { Buffer: ofRuntime } = globals;
  globals.Buffer = undefined;
  try {
    assert.equal(Buffer.from("b").toString("hex"), "62");
    assert.equal("nodeBuffer" in globals, false);
  } finally {
    globals.Buffer = ofRuntime;
  }
});
