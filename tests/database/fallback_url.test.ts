// While the database's password changes, the functions have the URL of either password.
import { deepStrictEqual as deepEqual, rejects } from "node:assert";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { createProjectDatabase } from "../project_cluster.ts";

Deno.test("a new connection that the database refuses is opened with the fallback URL, and so are later ones", async () => {
  const made = await createProjectDatabase(), accepted = made.url;
  const refused = accepted.replace("//postgres:", "//refused:");
  await using scratch = await createFeedDatabase(() => refused, { DATABASE_FALLBACK_URL: accepted }, made);
  await scratch.sql`create role refused nologin`;
  const { pool } = await import("../../functions/database/pool.ts");
  const run = (kind: string) =>
    pool.run((sql) => sql`select current_user::text as name`, { kind, statementMs: 60_000 })
      .then(([{ name }]) => name);
  deepEqual(await Promise.all(["read", "call", "job", "other"].map(run)), Array(4).fill("postgres"));

  await rejects(
    pool.run((sql) => sql`select 1 / ${0}::int`, { kind: "call", statementMs: 60_000 }),
    { code: "22012" },
    "the error of a statement is not a refusal",
  );
  await scratch.sql`alter role refused login`;
  await pool.close();
  deepEqual(await run("call"), "postgres", "the URL that worked is kept");
  await pool.close();
  await scratch.sql`drop role refused`;
});
