// Ownership codes that are tried, resent and issued concurrently: no caller exceeds the limits.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { callParameters, callStatement } from "../../functions/database/operations.ts";
import { byScale } from "../scale.ts";
import { createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent ownership codes", async (t) => {
  await using there = await createRaceDatabase(20);
  const { sql, as, id } = there;
  await sql`select tests.podcast('show', 'ola')`;

  async function forgetLimits() {
    await sql`delete from private.rate_limits`;
    await sql`delete from private.email_windows`;
    await sql`select pgmq.purge_queue('ownership_codes')`;
  }

  /** An import that waits for a code. */
  async function waiting(): Promise<string> {
    await sql`delete from public.podcast_imports`;
    await forgetLimits();
    await sql`select tests.import('it', 'show', 'pending'), tests.import_item('a', 'it')`;
    await sql`
      select private.finish_staging(tests.id('it'), '{"locked": true, "lockedOwner": "jane@example.com"}', '{}', '[]')`;
    return await id("it");
  }
  const issue = (code: string) =>
    outcome(sql`
      select private.issue_ownership_code(o.import_id, sha256(o.code_key || ${code}::text::bytea))
      from private.import_owner_verifications o`);
  /** The error code, or the import's status, or the SQLSTATE. */
  async function tried(importId: string, code: string): Promise<string> {
    const claims = JSON.stringify({ role: "authenticated", sub: await id("ola") });
    let verified = "";
    const ended = await outcome(
      sql.unsafe(callStatement("verify_import_ownership"), callParameters(claims, { importId, code })).then(
        ([{ text }]) => {
          const data = JSON.parse(text);
          verified = data.hint ?? data.status;
        },
      ),
    );
    return ended === "ok" ? verified : ended;
  }

  await t.step("concurrent wrong codes: five are counted, the others get LOCKED_OUT", async () => {
    for (let round = 0; round < byScale(5, 50); round++) {
      const importId = await waiting();
      await issue("123456");
      deepEqual(await runConcurrently(16, () => tried(importId, "000000")), { INVALID: 5, LOCKED_OUT: 11 });
      equal(await tried(importId, "123456"), "LOCKED_OUT");
    }
  });

  await t.step("concurrent right codes: one verifies the import", async () => {
    for (let round = 0; round < byScale(5, 50); round++) {
      const importId = await waiting();
      await issue("123456");
      deepEqual(await runConcurrently(12, () => tried(importId, "123456")), { preview: 1, PT409: 11 });
    }
  });

  await t.step("concurrent resends: one is accepted and enqueues one email", async () => {
    for (let round = 0; round < byScale(5, 50); round++) {
      const importId = await waiting();
      deepEqual(await runConcurrently(12, () => as("ola", "resend_ownership_code", { importId })), {
        ok: 1,
        PT429: 11,
      });
      equal((await sql`select from pgmq.q_ownership_codes`).length, 2);
    }
  });

  /** Twelve imports of locked feeds of one owner. */
  async function imports(prefix: string): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) {
      await sql`select tests.podcast(${`${prefix}${n}/show`}, 'ola'), tests.import(${`${prefix}${n}`},
        ${`${prefix}${n}/show`}, 'pending'), tests.import_item('a', ${`${prefix}${n}`})`;
      ids.push(await id(`${prefix}${n}`));
    }
    await forgetLimits();
    return ids;
  }
  const stage = (importId: string) =>
    sql`select private.finish_staging(${importId}, '{"locked": true, "lockedOwner": "known@example.com"}', '{}', '[]')`;
  const emailed = async (ids: string[]) =>
    (await sql`select from public.podcast_imports where id = any (${ids}) and verification_method = 'email_code'`)
      .length;

  await t.step(
    "concurrent starts for one owner: the budget's are emailed a code, the others are rechecked",
    async () => {
      const ids = await imports("start");
      deepEqual(await runConcurrently(12, (n) => outcome(stage(ids[n]))), { ok: 12 });
      equal(await emailed(ids), 10);
      equal((await sql`select from pgmq.q_ownership_codes`).length, 10);
      deepEqual([...await sql`select email_count from private.email_windows`.values()], [[10]]);
    },
  );

  await t.step("concurrent resends of twelve imports for one owner queue what the caller's budget allows", async () => {
    const ids = await imports("resend");
    for (const id of ids) {
      await stage(id);
      await forgetLimits();
    }
    deepEqual(await runConcurrently(12, (n) => as("ola", "resend_ownership_code", { importId: ids[n] })), {
      ok: 10,
      PT429: 2,
    });
    equal((await sql`select from pgmq.q_ownership_codes`).length, 10);
  });

  await t.step("concurrent guesses at the codes of twelve imports: twenty are compared", async () => {
    const ids = await imports("guess");
    for (const id of ids) {
      await stage(id);
      await forgetLimits();
    }
    await issue("123456");
    // two of each import, so that no import locks itself
    deepEqual(await runConcurrently(24, (n) => tried(ids[n % 12], "000000")), { INVALID: 20, LOCKED_OUT: 4 });
    equal(await tried(ids[0], "123456"), "LOCKED_OUT");
  });

  await t.step("a code verified during a resend and an issue: the import is in preview or waiting", async () => {
    for (let round = 0; round < byScale(20, 200); round++) {
      const importId = await waiting();
      await issue("123456");
      const [verified, resent, issued, canceled] = await Promise.all([
        tried(importId, "123456"),
        as("ola", "resend_ownership_code", { importId }),
        issue("654321"),
        round % 3 ? "ok" : as("ola", "cancel_import", { importId }),
      ]);
      ok(["preview", "INVALID", "PT409"].includes(verified), verified);
      ok(["ok", "PT409"].includes(resent), resent);
      deepEqual([issued, canceled], ["ok", "ok"]);
      const [{ status, owners }] = await sql`
        select i.status, (select count(*)::int from private.import_owner_verifications) as owners from public.podcast_imports i`;
      if (round % 3) equal(status, verified === "preview" ? "preview" : "verification_required");
      else equal(status, "canceled");
      equal(owners, verified === "preview" ? 0 : 1);
    }
  });
});
