import assert from "node:assert/strict";
import type { Db } from "../../functions/database/db.ts";
import { callStatements } from "../../functions/database/operations.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";

Deno.test("functions/database/operations.ts lists each public function of the catalog, and no other", async () => {
  await using scratch = await createFeedDatabase();
  const functions = await scratch.sql<{ name: string }[]>`
    select p.proname as name from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    order by p.proname`;
  assert.deepEqual(Object.keys(callStatements).toSorted(), functions.map(({ name }) => name).toSorted());
});

Deno.test("the type of an operation's arguments rejects a wrong name, a missing one and another type", () => {
  const rejected = (db: Db) => [
    // @ts-expect-error: the argument is importId
    db.call("get_import", { id: "" }),
    // @ts-expect-error: importId is required
    db.call("get_import", {}),
    // @ts-expect-error: importId is text
    db.call("get_import", { importId: 1 }),
  ];
  assert.equal(typeof rejected, "function"); // the type check is the test
});
