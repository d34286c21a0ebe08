// Reads during an outage of the database: which ones wait, which fail at once, and when the next reads run again.
import assert from "node:assert/strict";
import { createOutageGuard, isOutage } from "../../functions/database/outages.ts";
import { ApiError } from "../../functions/runtime/api_error.ts";

const refused = () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" });

/** A guard with the test's own clock, whose probes the test settles. */
function guardAt(start = 0) {
  const clock = { at: start }, probes: PromiseWithResolvers<void>[] = [];
  const guard = createOutageGuard(() => {
    const probe = Promise.withResolvers<void>();
    probes.push(probe);
    return probe.promise;
  }, () => clock.at);
  /** "ran", or the status of the error. */
  const read = () => guard.run(() => Promise.resolve("ran")).catch(({ status }) => status);
  const settle = async (error?: unknown) => {
    error ? probes.at(-1)!.reject(error) : probes.at(-1)!.resolve();
    await new Promise((resolve) => setTimeout(resolve)); // after its handlers
  };
  return { clock, probes, read, settle, report: guard.report, fail: () => guard.report(refused()) };
}

Deno.test("after a read that failed, the next reads fail at once while a single probe runs", async () => {
  const { probes, read, fail } = guardAt();
  assert.equal(await read(), "ran");
  fail();
  fail();
  assert.deepEqual(await Promise.all([read(), read(), read()]), [503, 503, 503]);
  assert.equal(probes.length, 1);
});

Deno.test("an answer to the probe ends the outage at once, also an error that a function raised", async () => {
  const { probes, read, fail, settle } = guardAt();
  fail();
  await settle({ code: "PT404" });
  assert.equal(await read(), "ran");
  fail();
  assert.equal(await read(), 503);
  assert.equal(probes.length, 2, "the next outage has a probe of its own");
});

Deno.test("after a failed probe, the next read that comes a second later starts another one", async () => {
  const { clock, probes, read, fail, settle } = guardAt();
  fail();
  await settle(refused());
  clock.at += 999;
  assert.equal(await read(), 503);
  fail(); // of a read that began before
  assert.equal(probes.length, 1);
  clock.at += 1;
  assert.deepEqual(await Promise.all([read(), read()]), [503, 503]);
  assert.equal(probes.length, 2);
});

Deno.test("reads run again five seconds after the last failure, so that an old outage rejects no read", async () => {
  const { clock, read, fail, settle } = guardAt();
  fail();
  clock.at += 2000;
  await settle(refused());
  clock.at += 4999;
  assert.equal(await read(), 503);
  clock.at += 1;
  assert.equal(await read(), "ran");
});

Deno.test("errors that a working database raises begin no outage", async () => {
  const { probes, read, report } = guardAt();
  for (const error of [new ApiError(404, "No"), new Error("bug"), { code: "PT404" }, undefined]) {
    assert.equal(isOutage(error), false);
    report(error);
  }
  assert.equal(await read(), "ran");
  assert.equal(probes.length, 0);
  for (const error of [new ApiError(503, "The database timed out"), refused(), { syscall: "write", code: "EBADF" }]) {
    assert.equal(isOutage(error), true);
  }
});
