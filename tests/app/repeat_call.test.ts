// repeatCall(): the sum of calls that say whether there is more.
import assert from "node:assert/strict";
import { repeatCall } from "../../functions/app/repeat_call.ts";
import type { RpcResult } from "../../functions/database/db.ts";

/** Answers calls with these results in turn. */
function answering(...results: object[]) {
  const left = results.map((data): RpcResult => ({ status: 200, text: JSON.stringify(data) }));
  return { left, call: () => Promise.resolve(left.shift()!) };
}

Deno.test("repeatCall sums the counts until nothing is left", async () => {
  const { call, left } = answering({ n: 3, hasMore: true }, { n: 0, hasMore: true }, { n: 2, hasMore: false }, {
    n: 9,
  });
  assert.deepEqual(await repeatCall(call, "n"), { status: 200, text: '{"n":5}' });
  assert.equal(left.length, 1);
});

Deno.test("repeatCall says that there is more when its time has ended", async () => {
  const { call, left } = answering({ n: 3, hasMore: true }, { n: 2, hasMore: false });
  assert.deepEqual(await repeatCall(call, "n", 0), { status: 200, text: '{"n":3,"hasMore":true}' });
  assert.equal(left.length, 1);
});

Deno.test("repeatCall throws the error of a later call", async () => {
  const { call } = answering({ n: 3, hasMore: true });
  const failing = async () => await call() ?? Promise.reject(new Error("Busy"));
  await assert.rejects(repeatCall(failing, "n"), { message: "Busy" });
});
