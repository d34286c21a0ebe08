// The stack in another Supabase project, as local/README.md describes: a copy of local/ without the rest of this one.
import assert from "node:assert/strict";
import { join } from "node:path";
import { runningStack } from "../../local/host/data_folder.ts";
import { repository } from "../../local/host/project.ts";
import { copySource } from "../source_files.ts";
import { waitFor } from "../wait_for.ts";
import { freePorts, portsToml, projectFolder } from "./host/project_folder.ts";

const ports = freePorts();

const FILES: Record<string, string> = {
  "package.json": `{"private": true, "type": "module", "workspaces": ["local"]}`,
  "deno.json": `{"imports": {"greeting": "./supabase/functions/greeting.ts"}}`,
  "supabase/config.toml": `${portsToml(ports)}
[storage.buckets.notes]
public = true
file_size_limit = "1MiB"
allowed_mime_types = ["text/plain"]
[functions.hello]
verify_jwt = false
`,
  "supabase/migrations/20260101000000_notes.sql": `create table public.notes (id int primary key, words text);
grant select on public.notes to anon;`,
  "supabase/seed.sql": `insert into public.notes values (1, 'seeded');`,
  "supabase/functions/greeting.ts": `export const greeting = "hello";`,
  "supabase/functions/hello/index.ts": `import { greeting } from "greeting";
export default { fetch: () => Response.json({ greeting, url: Deno.env.get("SUPABASE_URL") }) };`,
};

async function createProject(): Promise<string> {
  const folder = await projectFolder(FILES);
  await copySource("local", join(folder, "local"));
  await Deno.symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  return folder;
}

Deno.test("a foreign project runs on a copy of local/ with config.toml, migrations, seed, buckets and functions", async () => {
  const folder = await createProject();
  const command = (name: string, ...args: string[]) =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-all", "--no-check", join(folder, `local/cli/${name}.ts`), ...args],
      cwd: folder,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
  const child = command("start").spawn();
  const output = child.output();
  try {
    await waitFor("the stack", async () => (await runningStack(join(folder, ".data")))?.url, 120);
    const status = JSON.parse(new TextDecoder().decode((await command("status", "--json").output()).stdout));
    assert.deepEqual(Object.keys(status), [
      ...["API_URL", "FUNCTIONS_URL", "DB_URL", "MAIL_URL", "SMTP_URL", "PUBLISHABLE_KEY", "SECRET_KEY"],
    ]);
    assert.equal(status.API_URL, `http://127.0.0.1:${ports.api}`);
    const rows = await fetch(`${status.API_URL}/rest/v1/notes`, { headers: { apikey: status.PUBLISHABLE_KEY } });
    assert.deepEqual(await rows.json(), [{ id: 1, words: "seeded" }]);
    const bucket = await fetch(`${status.API_URL}/storage/v1/bucket/notes`, { headers: { apikey: status.SECRET_KEY } });
    const { public: isPublic, file_size_limit, allowed_mime_types } = await bucket.json();
    assert.deepEqual([isPublic, file_size_limit, allowed_mime_types], [true, 2 ** 20, ["text/plain"]]);
    const hello = await fetch(`${status.FUNCTIONS_URL}/hello`);
    assert.deepEqual(await hello.json(), { greeting: "hello", url: status.API_URL });
  } finally {
    child.kill("SIGTERM");
    const { code, stdout, stderr } = await output;
    assert.deepEqual([code, new TextDecoder().decode(stderr)], [0, ""]);
    assert.match(new TextDecoder().decode(stdout), /^The stack is running\. Press Ctrl-C to stop\.$/m);
  }
});
