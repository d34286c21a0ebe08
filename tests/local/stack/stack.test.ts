// The whole stack: start, restart, crashes and cleanup.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createClient, type Session } from "@supabase/supabase-js";
import { projectPaths } from "../../../local/host/project.ts";
import { StartupError } from "../../../local/host/startup_error.ts";
import { connected } from "../../../local/postgres/client.ts";
import { startPostgres } from "../../../local/postgres/start_postgres.ts";
import { startStack } from "../../../local/stack/stack.ts";
import { commandLine, waitUntil } from "../../../local/host/processes.ts";
import { stack as sharedStack, startTestStack, type TestStackOptions } from "../../stack.ts";
import { folderOfFile } from "../../temporary_folder.ts";
import type { RunningStack } from "../../../local/host/data_folder.ts";
import { waitFor } from "../../wait_for.ts";
import { probeProject } from "../host/probe_project.ts";
import { processesOf, waitForEndOf } from "../processes.ts";

const project = await probeProject();
const DEADLINE = 20_000;

const dataFolder = () => folderOfFile("castbase-data-");

const clientOf = (stack: RunningStack, key = stack.secretKey) =>
  createClient(stack.url, key, { auth: { persistSession: false, autoRefreshToken: false } });

const query = (stack: { dbUrl: string }, statement: string) =>
  connected(stack.dbUrl, async (sql) => (await sql.unsafe(statement)).map((row) => ({ ...row })));

/** Starts a stack that must fail; returns its exit code and its last output. */
async function failure(options: TestStackOptions): Promise<{ code: number; message: string }> {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", join(import.meta.dirname!, "../../stack_process.ts"), JSON.stringify(options)],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  return { code, message: new TextDecoder().decode(stderr).trim().split("\n").at(-1)! };
}

async function isResponding(url: string): Promise<boolean> {
  return await fetch(url, { signal: AbortSignal.timeout(500) }).then((response) => response.body?.cancel())
    .then(() => true, () => false);
}

Deno.test("the gateway routes every path and returns 404 for unknown ones", async () => {
  const stack = await sharedStack();
  const statusOf = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, init);
    await response.body?.cancel();
    return response.status;
  };
  const headers = { apikey: stack.publishableKey };
  assert.equal(await statusOf(`${stack.url}/auth/v1/health`, { headers }), 200);
  assert.equal(await statusOf(`${stack.url}/rest/v1/podcasts?select=id`, { headers }), 401);
  assert.equal(await statusOf(`${stack.url}/storage/v1/bucket`, { headers }), 200);
  assert.equal(await statusOf(`${stack.functionsUrl}/api/health`), 200);
  assert.equal(await statusOf(stack.mailUrl), 200);
  assert.equal(await statusOf(`${stack.url}/`), 404);
  assert.equal(await statusOf(`${stack.url}/auth/v1x`), 404);
  await new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(`${stack.url}/realtime/v1/websocket?apikey=${stack.publishableKey}&vsn=1.0.0`);
    socket.onopen = () => socket.close();
    socket.onclose = () => resolve();
    socket.onerror = reject;
  });
});

Deno.test("a second start keeps users, rows, files, secrets, sessions and keys, and does not repeat the seed", async () => {
  const dataDir = await dataFolder();
  const email = "kept@people.test", password = "correct horse";
  let session: Session;
  {
    await using stack = await startTestStack({ dataDir });
    const admin = clientOf(stack);
    assert.equal((await admin.auth.admin.createUser({ email, password, email_confirm: true })).error, null);
    const file = await admin.storage.from("media").upload("kept.mp3", "bytes", { contentType: "audio/mpeg" });
    assert.equal(file.error, null);
    const { auth } = clientOf(stack, stack.publishableKey);
    session = (await auth.signInWithPassword({ email, password })).data.session!;
    await query(stack, "update public.podcasts set title = 'Renamed' where slug = 'demo'");
    await query(stack, "select vault.create_secret('lasting', 'kept')");
    assert.equal((await Deno.stat(join(dataDir, "jwk.json"))).mode! & 0o777, 0o600);
  }
  await using stack = await startTestStack({ dataDir });
  assert.equal((await clientOf(stack).auth.getUser(session.access_token)).data.user?.email, email);
  const { auth } = clientOf(stack, stack.publishableKey);
  assert.equal((await auth.refreshSession({ refresh_token: session.refresh_token })).error, null);
  assert.equal(await (await clientOf(stack).storage.from("media").download("kept.mp3")).data?.text(), "bytes");
  assert.deepEqual(await query(stack, "select title from public.podcasts"), [{ title: "Renamed" }]);
  const [{ secret }] = await query(
    stack,
    "select decrypted_secret as secret from vault.decrypted_secrets where name = 'kept'",
  );
  assert.equal(secret, "lasting");
  const [{ public_url }] = await query(stack, "select private.get_setting('public_url') as public_url");
  assert.equal(public_url, stack.url); // the ports are others now
});

Deno.test("a fresh stack has the demo and serves its files", async () => {
  const [demo] = await query(
    await sharedStack(),
    "select p.cover_image_url, e.audio_url from public.podcasts p join public.episodes e on e.podcast_id = p.id where p.slug = 'demo'",
  );
  for (const url of [demo.cover_image_url, demo.audio_url]) {
    const response = await fetch(url);
    await response.body?.cancel();
    assert.equal(response.status, 200, url);
  }
});

Deno.test(
  "a killed stack ends all its processes, even an endless function, and restarts with the committed data",
  {
    ignore: Deno.build.os !== "linux",
  },
  async () => {
    const dataDir = await dataFolder();
    const killed = await startTestStack({ dataDir, project: project.folder, durable: true });
    await query(killed, "create table public.kept as select 1 as one");
    const processes = await processesOf(killed.pid);
    assert.ok(processes.length > 3, "stack, functions, Postgres and its children");
    const endless = fetch(`${killed.functionsUrl}/probe/loop`).catch(() => {});
    await waitFor("the endless function", async () => {
      return await isResponding(`${killed.functionsUrl}/probe/pid`) === false;
    });
    Deno.kill(killed.pid, "SIGKILL");
    await killed[Symbol.asyncDispose]();
    await using stack = await startTestStack({ dataDir, project: project.folder, durable: true });
    assert.deepEqual(await query(stack, "select one from public.kept"), [{ one: 1 }]);
    await waitForEndOf(processes);
    await endless;
  },
);

Deno.test("a stale postmaster.pid with another program's process does not prevent a start", async () => {
  const options = { cache: projectPaths().cache, dataDir: join(await dataFolder(), "postgres") };
  await (await startPostgres(options)).stop();
  const bystander = new Deno.Command("sleep", { args: ["600"] }).spawn();
  try {
    const lines = [bystander.pid, options.dataDir, 1, 1, "", "127.0.0.1", " 1 1", "ready"];
    await Deno.writeTextFile(join(options.dataDir, "postmaster.pid"), lines.join("\n"));
    const server = await startPostgres(options);
    assert.deepEqual(await query({ dbUrl: server.url() }, "select 1 as one"), [{ one: 1 }]);
    await server.stop();
    assert.ok(await commandLine(bystander.pid), "the bystander was left alone");
  } finally {
    bystander.kill("SIGKILL");
    await bystander.status;
  }
});

Deno.test("a stopped stack leaves no process", { ignore: Deno.build.os !== "linux" }, async () => {
  const stack = await startTestStack({ project: project.folder });
  const processes = await processesOf(stack.pid);
  await stack[Symbol.asyncDispose]();
  assert.equal((await stack.ended).code, 0);
  await waitForEndOf(processes);
});

Deno.test(
  "a stack restarts its database once if it ends, and stops with the reason the second time",
  { ignore: Deno.build.os !== "linux" },
  async () => {
    const dataDir = await dataFolder(), log = join(dataDir, "output");
    await using stack = await startTestStack({ dataDir, project: project.folder, durable: true }, log);
    const killDatabase = async () => {
      const processes = await processesOf(stack.pid);
      const lines = await Promise.all(processes.map(commandLine));
      Deno.kill(processes[lines.findIndex((line) => line?.includes("/bin/postgres -D"))], "SIGKILL");
      return processes;
    };
    await query(stack, "create table public.kept as select 1 as one");
    await killDatabase();
    await waitFor("the database", () => query(stack, "select one from public.kept").then(() => true, () => false));
    await waitFor("the services", async () => {
      const { data, error } = await clientOf(stack).auth.admin.listUsers();
      return !error && data.users && !(await clientOf(stack).storage.listBuckets()).error;
    });
    assert.match(
      await Deno.readTextFile(log),
      /^PostgreSQL stopped unexpectedly.* It restarts once; its last log is /m,
    );

    const processes = await killDatabase();
    assert.equal((await stack.ended).code, 1);
    await waitForEndOf(processes);
    const lines = (await Deno.readTextFile(log)).trim().split("\n");
    assert.match(lines.at(-1)!, /^PostgreSQL stopped unexpectedly.*; see .*\.log\.$/);
  },
);

Deno.test("the error names a port in use in one sentence", async () => {
  for (const [name, port] of Object.entries(project.ports)) {
    using _listener = Deno.listen({ hostname: "127.0.0.1", port });
    const starting = startStack({ dataDir: await dataFolder(), project: project.folder, fixedPorts: true });
    await assert.rejects(starting, (error) => {
      assert.ok(error instanceof StartupError, name);
      assert.match(error.message, new RegExp(`^Port ${port} \\(.+\\) is in use\\. .+config\\.toml\\.$`));
      return true;
    });
  }
});

Deno.test("a second stack on the same data fails to start, and the first one stays", async () => {
  const dataDir = await dataFolder();
  await using stack = await startTestStack({ dataDir, project: project.folder });
  const { code, message } = await failure({ dataDir, project: project.folder });
  assert.equal(code, 1);
  assert.equal(
    message,
    `A stack is already running on ${dataDir} (process ${stack.pid}, ${stack.url}). Use it, or stop it first.`,
  );
  assert.deepEqual(await query(stack, "select 1 as one"), [{ one: 1 }]);
});

Deno.test("two concurrent stacks are independent", async () => {
  const [one, other] = await Promise.all([1, 2].map(() => startTestStack({ project: project.folder })));
  await using _one = one;
  await using _other = other;
  await query(one, "create table public.mine (id int)");
  assert.deepEqual(await query(other, "select to_regclass('public.mine') as mine"), [{ mine: null }]);
  const token = await clientOf(one).auth.admin.createUser({
    email: "a@people.test",
    password: "long enough",
    email_confirm: true,
  })
    .then(() => clientOf(one).auth.signInWithPassword({ email: "a@people.test", password: "long enough" }));
  const stranger = await clientOf(other).auth.getUser(token.data.session!.access_token);
  assert.equal(stranger.data.user, null);
});

Deno.test("a failed migration names file and line and is rolled back", async () => {
  const dataDir = await dataFolder();
  const broken = await probeProject();
  const file = join(broken.folder, "supabase/migrations/20260101000000_broken.sql");
  await Deno.writeTextFile(file, "create table public.half (id int);\nselect nothing from nowhere;\n");
  const { code, message } = await failure({ dataDir, project: broken.folder });
  assert.equal(code, 1);
  assert.equal(message, `supabase/migrations/20260101000000_broken.sql:2: relation "nowhere" does not exist (42P01)`);
  await Deno.writeTextFile(file, "create table public.half (id int);\n");
  await using stack = await startTestStack({ dataDir, project: broken.folder });
  assert.deepEqual(await query(stack, "select version, name from supabase_migrations.schema_migrations"), [
    { version: "20260101000000", name: "broken" },
  ]);
});

Deno.test("functions restart when their source changes", async () => {
  const edited = await probeProject();
  await using stack = await startTestStack({ project: edited.folder, watch: true });
  const result = async () => {
    const response = await fetch(`${stack.functionsUrl}/probe`);
    return `${response.status} ${await response.text()}`;
  };
  assert.equal(await result(), "404 ?");
  await edited.write(`export default { fetch: () => new Response("edited") }`);
  await waitUntil(async () => await result() === "200 edited", DEADLINE);
  await edited.write(`this is not TypeScript`);
  await waitUntil(async () => (await result()).startsWith("503"), DEADLINE);
  await edited.write(`export default { fetch: () => new Response("mended") }`);
  await waitUntil(async () => await result() === "200 mended", DEADLINE);
});
