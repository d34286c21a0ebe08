// Tells the database where this stack answers: its ports, and so its URLs, may be others at every start.
import postgres from "postgres";

export async function tellDatabase(dbUrl: string, { url, workerSecret }: { url: string; workerSecret: string }) {
  const sql = postgres(dbUrl, { max: 1, onnotice: () => {}, fetch_types: false });
  try {
    const [{ ready }] = await sql`select to_regprocedure('private.set_setting(text, text)') is not null as ready`;
    if (!ready) return; // a project without settings
    await sql`select private.set_setting('public_url', ${url})`;
    await allowFetching(sql, new URL(url).host); // the demo's feed
    await sql`select private.set_setting('worker_url', ${`${url}/functions/v1/worker`})`;
    await keepInVault(sql, "worker_secret", workerSecret);
  } finally {
    await sql.end();
  }
}

/** Adds a private host to those that may be fetched, and keeps the others; false if the list has it. */
export async function allowFetching(sql: postgres.ISql, host: string): Promise<boolean> {
  const { count } = await sql`
    update private.settings set value = concat_ws(',', nullif(value, ''), ${host}::text)
    where key = 'fetch_allowed_hosts' and ${host} <> all (regexp_split_to_array(coalesce(value, ''), '[\\s,]+'))`;
  return count > 0;
}

async function keepInVault(sql: postgres.Sql, name: string, value: string) {
  const [kept] = await sql`select id, decrypted_secret as value from vault.decrypted_secrets where name = ${name}`;
  if (!kept) await sql`select vault.create_secret(${value}, ${name})`;
  else if (kept.value !== value) await sql`select vault.update_secret(${kept.id}, ${value})`;
}
