// Reads during an outage of the database: which ones wait, which fail at once, and when the next reads run again.
import assert from "node:assert/strict";
import { createOutageGuard, isOutage } from "../../functions/database/outages.ts";
import { ApiError } from "../../functions/runtime/api_error.ts";

const refused = () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" });

/** A guard with the test's own clock, whose probes the test starts and settles. */
function guardAt(start = 0) {
  const clock = { at: start }, probes: (PromiseWithResolvers<void> & { onStart(): void })[] = [];
  const guard = createOutageGuard((onStart) => {
    const probe = { ...Promise.withResolvers<void>(), onStart };
    probes.push(probe);
    return probe.promise;
  }, () => clock.at);
  /** "ran", or the status of the error. */
  const read = () => guard.run(() => Promise.resolve("ran")).catch(({ status }) => status);
  const settle = async (error?: unknown) => {
    error ? probes.at(-1)!.reject(error) : probes.at(-1)!.resolve();
    await new Promise((resolve) => setTimeout(resolve)); // after its handlers
  };
  return {
    ...{ clock, probes, read, settle },
    report: guard.report,
    fail: () => guard.report(refused()),
    begin: () => probes.at(-1)!.onStart(),
    /** Begins the probe, which fails after `ms`. */
    async failProbe(ms = 0) {
      probes.at(-1)!.onStart();
      clock.at += ms;
      await settle(refused());
    },
  };
}

Deno.test("a read that failed lets the others run, until its single probe has been silent for 250 ms", async () => {
  const { clock, probes, read, fail, begin } = guardAt();
  assert.equal(await read(), "ran");
  fail();
  fail();
  begin();
  clock.at += 249;
  assert.equal(await read(), "ran");
  clock.at += 1;
  assert.deepEqual(await Promise.all([read(), read(), read()]), [503, 503, 503]);
  assert.equal(probes.length, 1);
});

Deno.test("reads that time out for one podcast keep no other from its read while the probe is answered", async () => {
  const { clock, probes, read, report, begin, settle } = guardAt();
  for (let n = 0; n < 3; n++) {
    report(new ApiError(503, "The database timed out"));
    assert.equal(await read(), "ran");
    begin();
    clock.at += 249;
    await settle();
    assert.equal(await read(), "ran");
  }
  assert.equal(probes.length, 3);
});

Deno.test("a probe that fails begins the outage at once", async () => {
  const { read, fail, failProbe } = guardAt();
  fail();
  await failProbe();
  assert.equal(await read(), 503);
});

Deno.test("an answer to the probe ends the outage at once, also an error that a function raised", async () => {
  const { clock, probes, read, fail, begin, settle } = guardAt();
  fail();
  begin();
  clock.at += 250;
  assert.equal(await read(), 503);
  await settle({ code: "PT404" });
  assert.equal(await read(), "ran");
  fail();
  assert.equal(probes.length, 2, "the next outage has a probe of its own");
});

Deno.test("after a failed probe, the next read that comes a second later starts another one", async () => {
  const { clock, probes, read, fail, failProbe } = guardAt();
  fail();
  await failProbe();
  clock.at += 999;
  assert.equal(await read(), 503);
  fail(); // of a read that began before
  assert.equal(probes.length, 1);
  clock.at += 1;
  assert.deepEqual(await Promise.all([read(), read()]), [503, 503]);
  assert.equal(probes.length, 2);
});

Deno.test("reads run again five seconds after the last failed probe, so that an old outage rejects no read", async () => {
  const { clock, read, fail, failProbe } = guardAt();
  fail();
  await failProbe(2000);
  clock.at += 4999;
  assert.equal(await read(), 503);
  fail(); // of a read: only a probe prolongs the outage
  clock.at += 1;
  assert.equal(await read(), "ran");
});

Deno.test("a probe that never had its turn neither begins an outage nor prolongs it", async () => {
  const { clock, probes, read, fail, failProbe, settle } = guardAt();
  fail();
  clock.at += 2000;
  await settle(new ApiError(503, "The database timed out"));
  assert.equal(await read(), "ran");
  clock.at += 1000;
  fail();
  await failProbe();
  clock.at += 1000;
  assert.equal(await read(), 503);
  clock.at += 2000;
  await settle(new ApiError(503, "The database timed out"));
  assert.equal(probes.length, 3);
  clock.at += 1999;
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
