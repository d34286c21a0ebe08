// Copies of public reads: how long they may be served, what evicts them, and how much memory they take.
import assert from "node:assert/strict";
import { createStaleCopies } from "../../functions/app/stale_copies.ts";
import { ApiError } from "../../functions/runtime/api_error.ts";

const MINUTE = 60_000;
const unreachable = () => Promise.reject(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }));
const rejectWith = (status: number) => () => Promise.reject(new ApiError(status, "No"));

/** Copies with the test's own clock. */
function copiesAt(start = 1_000_000) {
  const clock = { at: start };
  const copies = createStaleCopies<string>({ maxCount: 3, maxBytes: 1000 }, ({ length }) => length, () => clock.at);
  return { clock, read: copies.read };
}
const is = (text: string) => () => Promise.resolve(text);
const failure = (work: Promise<unknown>) => work.then(() => undefined, (error) => error.code ?? error.status);

Deno.test("a copy is served for exactly ten minutes after the query that confirmed it started", async () => {
  const { clock, read } = copiesAt();
  assert.deepEqual(await read("a", is("one")), { value: "one" });
  clock.at += 10 * MINUTE;
  const { cause, ...copy } = (await read("a", unreachable))!;
  assert.deepEqual([copy, (cause as Error).message], [{ value: "one", ageSeconds: 600 }, "connect"]);
  clock.at += 1;
  assert.equal(await failure(read("a", unreachable)), "ECONNREFUSED");
});

Deno.test("the age of a copy counts from the start of its query", async () => {
  const { clock, read } = copiesAt();
  const result = Promise.withResolvers<string>();
  const reading = read("a", () => result.promise);
  clock.at += 5 * MINUTE;
  result.resolve("one");
  await reading;
  clock.at += 5 * MINUTE + 1;
  assert.equal(await failure(read("a", unreachable)), "ECONNREFUSED");
});

Deno.test("a second confirmation renews a copy and replaces its value", async () => {
  const { clock, read } = copiesAt();
  await read("a", is("one"));
  clock.at += 9 * MINUTE;
  await read("a", is("two"));
  clock.at += 9 * MINUTE;
  assert.equal((await read("a", unreachable))!.value, "two");
});

Deno.test("a copy is not served after the clock was set back", async () => {
  const { clock, read } = copiesAt();
  await read("a", is("one"));
  clock.at -= 1;
  assert.equal(await failure(read("a", unreachable)), "ECONNREFUSED");
});

Deno.test("404, 410 and an empty result evict a copy; 500 neither evicts nor serves it", async () => {
  for (const gone of [rejectWith(404), rejectWith(410), () => Promise.resolve(undefined)]) {
    const { read } = copiesAt();
    await read("a", is("one"));
    await read("a", gone).catch(() => {});
    assert.equal(await failure(read("a", unreachable)), "ECONNREFUSED");
  }
  const { read } = copiesAt();
  await read("a", is("one"));
  assert.equal(await failure(read("a", rejectWith(500))), 500);
  assert.equal((await read("a", rejectWith(503)))!.value, "one");
});

Deno.test("concurrent reads of one key share a query, and the next read runs another", async () => {
  const { read } = copiesAt();
  let queryCount = 0;
  const query = () => Promise.resolve(`${++queryCount}`);
  const found = await Promise.all([read("a", query), read("a", query), read("b", query)]);
  assert.deepEqual(found.map((each) => each!.value), ["1", "1", "2"]);
  assert.equal((await read("a", query))!.value, "3");
});

Deno.test("copies of different keys are separate", async () => {
  const { read } = copiesAt();
  await read("a", is("one"));
  assert.equal(await failure(read("b", unreachable)), "ECONNREFUSED");
});

Deno.test("a query receives the value of the copy at any age, confirms it by returning it, and none after 404", async () => {
  const { clock, read } = copiesAt();
  const seen: (string | undefined)[] = [];
  const unchanged = (known?: string) => (seen.push(known), Promise.resolve(known ?? "one"));
  await read("a", unchanged);
  clock.at += 60 * MINUTE;
  assert.deepEqual(await read("a", unchanged), { value: "one" });
  clock.at += 10 * MINUTE;
  assert.equal((await read("a", unreachable))!.ageSeconds, 600);
  await read("a", rejectWith(404)).catch(() => {});
  await read("a", unchanged);
  assert.deepEqual(seen, [undefined, "one", undefined]);
});
