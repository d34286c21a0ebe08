// A database that answers a verb with nothing at all, as the driver once gave it of a lost connection.
import assert from "node:assert/strict";
import { feedScratch } from "../feed/scratch.ts";

Deno.test("A verb that comes back without an answer is a 503 that may be asked again, and no failure of ours", async () => {
  await using scratch = await feedScratch();
  await scratch.sql.unsafe(`
    drop function private.call;
    create function private.call(claims json, verb text, args jsonb) returns table (status int, data jsonb)
      language sql as 'select 200, null::jsonb where false'`);
  const { as } = await import("../../functions/_shared/db.ts");
  const { refused } = await import("../../functions/_shared/refusal.ts");
  const error = await as('{"role":"anon"}').call("health_check").then(() => undefined, (error: unknown) => error);
  const { status, body, headers } = refused(error, { requestId: "1", signedIn: false });
  assert.deepEqual([status, body, headers], [503, { error: "The database cannot be reached" }, { "retry-after": "1" }]);
});
