// Lost connections: the driver returns no row, or throws an error of its socket.
import assert from "node:assert/strict";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";

Deno.test("a call that returns no row is 503 with Retry-After and is not logged as an internal error", async () => {
  await using scratch = await createFeedDatabase();
  await scratch.sql.unsafe(`
    drop function private.call_check_health;
    create function private.call_check_health(claims json, args jsonb) returns table (status int, data jsonb)
      language sql as 'select 200, null::jsonb where false'`);
  const { dbAs } = await import("../../functions/database/db.ts");
  const { toErrorResponse } = await import("../../functions/app/errors.ts");
  const error = await dbAs('{"role":"anon"}').call("check_health", {}).then(() => undefined, (error: unknown) => error);
  const { status, body, headers } = toErrorResponse(error, { requestId: "1", isSignedIn: false });
  assert.deepEqual([status, body, headers], [503, { error: "The database is unavailable" }, { "retry-after": "1" }]);
});

Deno.test("an error of the driver's socket is 503 with Retry-After", async () => {
  const { toErrorResponse } = await import("../../functions/app/errors.ts");
  for (const code of ["EBADF", "ENOTCONN", "EHOSTUNREACH", "UNKNOWN"]) {
    const error = Object.assign(new Error(`write ${code}`), { code, syscall: "write" });
    const { status, body, headers } = toErrorResponse(error, { requestId: "1", isSignedIn: false });
    assert.deepEqual(
      [status, body, headers],
      [503, { error: "The database is unavailable" }, { "retry-after": "1" }],
      code,
    );
  }
});
