// Copies of public reads: how long they may be served, what evicts them, and how much memory they take.
import assert from "node:assert/strict";
import { createLruCache, createStaleCopies } from "../../functions/app/stale_copies.ts";
import { ApiError } from "../../functions/app/errors.ts";

const MINUTE = 60_000;
const unreachable = () => Promise.reject(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }));
const refused = (status: number) => () => Promise.reject(new ApiError(status, "No"));

/** Copies with a clock of the test's own. */
function copiesAt(start = 1_000_000) {
  const clock = { at: start };
  const copies = createStaleCopies<string>({ maxCount: 3, maxBytes: 1000 }, ({ length }) => length, () => clock.at);
  return { clock, read: (key: string, ask: () => Promise<string | undefined>) => copies.read(key, ask) };
}
const is = (text: string) => () => Promise.resolve(text);
const failure = (work: Promise<unknown>) => work.then(() => undefined, (error) => error.code ?? error.status);

Deno.test("a copy is served for ten minutes after the question that confirmed it, and not a millisecond longer", async () => {
  const { clock, read } = copiesAt();
  assert.deepEqual(await read("a", is("one")), { value: "one" });
  clock.at += 10 * MINUTE;
  const { cause, ...copy } = (await read("a", unreachable))!;
  assert.deepEqual([copy, (cause as Error).message], [{ value: "one", ageSeconds: 600 }, "connect"]);
  clock.at += 1;
  assert.equal(await failure(read("a", unreachable)), "ECONNREFUSED");
});

Deno.test("an answer counts from when it was asked for, however late it comes", async () => {
  const { clock, read } = copiesAt();
  const answer = Promise.withResolvers<string>();
  const reading = read("a", () => answer.promise);
  clock.at += 5 * MINUTE;
  answer.resolve("one");
  await reading;
  clock.at += 5 * MINUTE + 1;
  assert.equal(await failure(read("a", unreachable)), "ECONNREFUSED");
});

Deno.test("a second confirmation renews a copy, and replaces what it says", async () => {
  const { clock, read } = copiesAt();
  await read("a", is("one"));
  clock.at += 9 * MINUTE;
  await read("a", is("two"));
  clock.at += 9 * MINUTE;
  assert.equal((await read("a", unreachable))!.value, "two");
});

Deno.test("a clock that was put back makes a copy unusable", async () => {
  const { clock, read } = copiesAt();
  await read("a", is("one"));
  clock.at -= 1;
  assert.equal(await failure(read("a", unreachable)), "ECONNREFUSED");
});

Deno.test("404, 410 and nothing found evict a copy; 500 neither evicts nor serves it", async () => {
  for (const gone of [refused(404), refused(410), () => Promise.resolve(undefined)]) {
    const { read } = copiesAt();
    await read("a", is("one"));
    await read("a", gone).catch(() => {});
    assert.equal(await failure(read("a", unreachable)), "ECONNREFUSED");
  }
  const { read } = copiesAt();
  await read("a", is("one"));
  assert.equal(await failure(read("a", refused(500))), 500);
  assert.equal((await read("a", refused(503)))!.value, "one");
});

Deno.test("reads of one key at the same time are one question, and the next read is another", async () => {
  const { read } = copiesAt();
  let asked = 0;
  const ask = () => Promise.resolve(`${++asked}`);
  const found = await Promise.all([read("a", ask), read("a", ask), read("b", ask)]);
  assert.deepEqual(found.map((each) => each!.value), ["1", "1", "2"]);
  assert.equal((await read("a", ask))!.value, "3");
});

Deno.test("copies of other keys are kept apart", async () => {
  const { read } = copiesAt();
  await read("a", is("one"));
  assert.equal(await failure(read("b", unreachable)), "ECONNREFUSED");
});

Deno.test("recent values are bounded in number and bytes: the least recently used make room", () => {
  const values = createLruCache<string>({ maxCount: 3, maxBytes: 10 });
  const kept = () => ["a", "b", "c", "d"].filter((key) => values.get(key) !== undefined).join("");
  for (const key of ["a", "b", "c"]) values.set(key, key, 1);
  values.get("a");
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
