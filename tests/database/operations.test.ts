import assert from "node:assert/strict";
import type { Db } from "../../functions/database/db.ts";
import { callStatement, type Operation } from "../../functions/database/operations.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { sourceFiles } from "../source_files.ts";

/** In `operation("GET", "/:id", "get_import", …)` and `db.call("get_import", …)`. */
const CALLED = /\boperation\(\s*"[A-Z]+",\s*"[^"]*",\s*"(\w+)"|\.call\(\s*"(\w+)"/g;

Deno.test("Postgres accepts the statement of every public function that the edge functions call", async () => {
  await using scratch = await createFeedDatabase();
  const called = sourceFiles(["functions"], /\.ts$/).flatMap(({ text }) => [...text.matchAll(CALLED)])
    .map(([_, ofOperation, ofCall]) => (ofOperation ?? ofCall) as Operation);
  assert.ok(called.includes("set_episode_person_credit") && called.includes("begin_image_upload"));
  for (const name of new Set(called)) await scratch.sql.unsafe(`prepare ${name} as ${callStatement(name)}`);
});

Deno.test("callStatement() accepts no name that could leave the identifier", () => {
  assert.match(callStatement("get_import"), /from private\.call_get_import\(\$1::text::json, \$2::text::jsonb\)$/);
  for (const name of ["", "Get_import", "get_import()", 'get"import', "get_import; select 1", "get_import\n", "ä"]) {
    assert.throws(() => callStatement(name as Operation), /Not the name of a public function/, name);
  }
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
