// supabase/seed.sql makes the demo on local stacks only: preview branches of a hosted project run it too.
import assert from "node:assert/strict";
import { join } from "node:path";
import { devKeys } from "../../../local/auth/keys.ts";
import { repository } from "../../../local/host/project.ts";
import { asPostgres } from "../../database.ts";
import { createProjectDatabase } from "../../project_cluster.ts";
import { stack } from "../../stack.ts";

const seed = await Deno.readTextFile(join(repository, "supabase/seed.sql"));
const at = await stack();

/** What the seed makes in a database whose shared secret is this one; null if it has none. */
async function seedDatabase(sharedSecret: string | null) {
  await using database = await createProjectDatabase();
  await using sql = asPostgres({ dbUrl: database.url });
  await sql.begin(async (tx) => {
    if (sharedSecret !== null) await tx`select set_config('app.settings.jwt_secret', ${sharedSecret}, true)`;
    await tx.unsafe(seed);
  });
  const users = await sql`select email from auth.users`;
  const settings = await sql`select key from private.settings where value is not null order by key`;
  return [users.map(({ email }) => email), settings.map(({ key }) => key)];
}

Deno.test("seed.sql makes no demo and sets no URL in a database of a hosted project", async () => {
  assert.deepEqual(await seedDatabase(null), [[], []]);
  assert.deepEqual(await seedDatabase("the secret of another project"), [[], []]);
});

Deno.test("seed.sql makes the demo where the shared secret is the CLI's", async () => {
  const settings = ["pages_url", "public_url", "worker_url"];
  assert.deepEqual(await seedDatabase(devKeys.jwtSecret), [["demo@castbase.test"], settings]);
});

Deno.test("a stack has the CLI's shared secret in its database, and the demo", async () => {
  await using sql = asPostgres(at);
  const [{ secret }] = await sql`select current_setting('app.settings.jwt_secret') as secret`;
  assert.equal(secret, devKeys.jwtSecret);
  assert.equal((await sql`select from auth.users where email = 'demo@castbase.test'`).length, 1);
});
