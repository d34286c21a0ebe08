import { deepStrictEqual as equal, notDeepStrictEqual as differ, rejects } from "node:assert";
import { stack } from "../../stack.ts";
import { asPostgres } from "../../database.ts";

const server = await stack();
const newName = () => "sv_" + crypto.randomUUID();

Deno.test("a secret is stored encrypted, read decrypted, and updated", async () => {
  await using sql = asPostgres(server);
  const name = newName();
  const [{ id }] = await sql`select vault.create_secret('hush, Ünsal', ${name}, 'for the test') as id`;
  const read = async () =>
    (await sql`select name, description, secret, decrypted_secret from vault.decrypted_secrets where id = ${id}`)[0];
  const first = await read();
  equal([first.name, first.description, first.decrypted_secret], [name, "for the test", "hush, Ünsal"]);
  equal(atob(first.secret.replaceAll("\n", "")).includes("hush"), false);
  await sql`select vault.update_secret(${id}, new_secret => 'other')`;
  const second = await read();
  equal([second.name, second.description, second.decrypted_secret], [name, "for the test", "other"]);
  differ(second.secret, first.secret);
  await sql`select vault.update_secret(${id}, new_name => ${name + "_2"}, new_description => '')`;
  equal([(await read()).name, (await read()).decrypted_secret], [name + "_2", "other"]);
  equal((await sql`delete from vault.secrets where id = ${id} returning name`)[0].name, name + "_2");
});

Deno.test("secret names are unique, and a secret may be empty", async () => {
  await using sql = asPostgres(server);
  const name = newName();
  await sql`select vault.create_secret('', ${name})`;
  await rejects(sql`select vault.create_secret('two', ${name})`, { code: "23505" });
  equal((await sql`delete from vault.secrets where name = ${name} returning id`).length, 1);
});

Deno.test("a secret cannot be decrypted in another row", async () => {
  await using sql = asPostgres(server);
  await using admin = asPostgres(server, { username: "supabase_admin" });
  const [{ one, two }] = await sql`select vault.create_secret('one') as one, vault.create_secret('two') as two`;
  await admin`update vault.secrets s set secret = o.secret, nonce = o.nonce from vault.secrets o where s.id = ${two} and o.id = ${one}`;
  await rejects(
    sql`select decrypted_secret from vault.decrypted_secrets where id = ${two}`,
    /Wrong key or corrupt data/,
  );
  await sql`delete from vault.secrets where id in (${one}, ${two})`;
});

Deno.test("anon and authenticated cannot read secrets, and no role can read the key", async () => {
  await using sql = asPostgres(server);
  for (const role of ["anon", "authenticated"]) {
    const asRole = (statement: string) => sql.unsafe(`set local role ${role}; ${statement}`).simple();
    await rejects(asRole("select * from vault.decrypted_secrets"), { code: "42501" });
    await rejects(asRole("select vault.create_secret('x')"), { code: "42501" });
  }
  await rejects(sql`insert into vault.secrets (secret) values ('plain')`, { code: "42501" });
  await rejects(sql`select vault._key('', '', '')`, { code: "42501" });
  await rejects(sql`select pg_read_file(current_setting('data_directory') || '/vault.key')`, { code: "42501" });
});

Deno.test("the service role reads and writes secrets", async () => {
  await using sql = asPostgres(server);
  await sql.begin(async (own) => {
    await own`set local role service_role`;
    const [{ id }] = await own`select vault.create_secret('x') as id`;
    equal((await own`select decrypted_secret from vault.decrypted_secrets where id = ${id}`)[0].decrypted_secret, "x");
    await own`delete from vault.secrets where id = ${id}`;
  });
});
