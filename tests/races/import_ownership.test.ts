// Ownership codes that are tried, resent and issued concurrently: no caller exceeds the limits.
import { deepEqual, equal, ok } from "node:assert/strict";
import { callParameters, callStatements } from "../../functions/database/operations.ts";
import { byScale } from "../scale.ts";
import { createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent ownership codes", async (t) => {
  await using there = await createRaceDatabase(20);
  const { sql, as, id } = there;
  await sql`select tests.podcast('show', 'ola')`;

  /** An import that waits for a code. */
  async function waiting(): Promise<string> {
    await sql`delete from public.podcast_imports`;
    await sql`delete from private.rate_limits`;
    await sql`select pgmq.purge_queue('ownership_codes')`;
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
      sql.unsafe(callStatements.verify_import_ownership, callParameters(claims, { importId, code })).then(
        ([{ text }]) => {
          const data = JSON.parse(text);
          verified = data.code ?? data.status;
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

  await t.step("concurrent resends of twelve imports for one address queue what the daily limit allows", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) {
      await sql`delete from private.rate_limits`;
      await sql`select tests.podcast(${`show${n}`}, 'ola'), tests.import(${`it${n}`}, ${`show${n}`}, 'pending'),
        tests.import_item('a', ${`it${n}`})`;
      await sql`select private.finish_staging(tests.id(${`it${n}`}),
        '{"locked": true, "lockedOwner": "known@example.com"}', '{}', '[]')`;
      ids.push(await id(`it${n}`));
    }
    await sql`update private.rate_limits set request_count = 8 where key like 'ownership_code_emails_daily:%'`;
    await sql`delete from private.rate_limits where key not like 'ownership_code_emails_daily:%'`;
    await sql`select pgmq.purge_queue('ownership_codes')`;
    const ended = await runConcurrently(12, (n) => as("ola", "resend_ownership_code", { importId: ids[n] }));
    deepEqual(ended, { ok: 2, PT429: 10 });
    equal((await sql`select from pgmq.q_ownership_codes`).length, 2);
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
