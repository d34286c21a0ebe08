import postgres from "postgres";
import { parse as parseToml } from "smol-toml";
import { dirname, join } from "node:path";
import { fileURLToPath as fromFileUrl } from "node:url";
import { freePort, startPg } from "./postgres.ts";
import { createLite } from "./lite.ts";
import { devKeys } from "./keys.ts";
const runSql = async (url: string, files: string[]) => {
  const sql = postgres(url, { max: 1, onnotice: () => {}, fetch_types: false });
  for (const f of files) await sql.unsafe(await Deno.readTextFile(join(root, "local/bootstrap", f))).simple();
  await sql.end();
};
import { createRealtime } from "./realtime/server.ts";
import { startMail } from "./mail.ts";
import { startCron } from "./cron.ts";
import { startNet } from "./net.ts";
import { createFunctions } from "./functions.ts";
import { createAuth } from "./auth/router.ts";
import { type AuthSettings, authSettings } from "./auth/settings.ts";
import { createTokens } from "./tokens.ts";
import { createStorageShim } from "./storage_shim.ts";

export const root = dirname(dirname(fromFileUrl(import.meta.url)));

export interface StackOptions {
  dir: string; // all data of this stack
  port?: number;
  cache?: string;
  smtpPort?: number;
  pgPort?: number;
  siteUrl?: string;
  migrations?: string | null;
  functions?: string;
  es256?: boolean;
  /** Over what config.toml says. */
  auth?: Partial<AuthSettings>;
}

export async function migrate(url: string, dir: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`create schema if not exists supabase_migrations;
      create table if not exists supabase_migrations.schema_migrations (version text primary key, statements text[], name text);`).simple();
    const done = new Set((await sql`select version from supabase_migrations.schema_migrations`).map((r) => r.version));
    const files = [...Deno.readDirSync(dir)].map((e) => e.name).filter((n) => /^\d+_.*\.sql$/.test(n)).sort();
    for (const f of files) {
      const [, version, name] = /^(\d+)_(.*)\.sql$/.exec(f)!;
      if (done.has(version)) continue;
      const text = await Deno.readTextFile(join(dir, f));
      await sql.begin(async (t) => {
        await t.unsafe(text).simple();
        await t`insert into supabase_migrations.schema_migrations (version, name, statements) values (${version}, ${name}, ${[text]})`;
      }).catch((e) => {
        throw new Error(`${f}: ${e.message}`, { cause: e });
      });
    }
  } finally {
    await sql.end();
  }
}

export async function startStack(o: StackOptions) {
  const timings: Record<string, number> = {};
  const t0 = performance.now();
  let t = t0;
  const lap = (k: string) => {
    timings[k] = Math.round(performance.now() - t);
    t = performance.now();
  };
  const port = o.port ?? freePort();
  const url = `http://127.0.0.1:${port}`;
  await Deno.mkdir(o.dir, { recursive: true });
  await Deno.chmod(o.dir, 0o755);
  const pg = await startPg({ cache: o.cache ?? join(root, ".cache"), dataDir: join(o.dir, "pg"), port: o.pgPort });
  lap("postgres");
  const adminUrl = pg.url("supabase_admin");
  if (pg.fresh) {
    await runSql(adminUrl, ["10_roles.sql"]);
    await runSql(adminUrl, ["20_auth.sql"]); // GoTrue's own migrations
  }
  lap("roles");
  const mail = await startMail(o.smtpPort ?? 0);
  lap("mail");
  const keys = devKeys;
  const lite = createLite({
    dbUrl: pg.url, keys, siteUrl: o.siteUrl ?? url, redirects: ["http://127.0.0.1:3000/**"], storageDir: join(o.dir, "storage"), sendMail: mail.send,
  });
  if (pg.fresh) {
    await runSql(adminUrl, ["30_storage.sql", "40_grants.sql"]); // not lite.provision(): it would replace auth.uid() by its own
  }
  lap("lite");
  if (o.migrations !== null) await migrate(pg.url("postgres"), o.migrations ?? join(root, "supabase/migrations"));
  lap("migrations");
  const adminSql = postgres(adminUrl, { max: 3, onnotice: () => {} });
  const reload = await adminSql.listen("pgrst", () => void lite.reloadSchema());
  const tokens = await createTokens({ file: join(o.dir, "jwk.json"), innerSecret: keys.jwtSecret, publishable: keys.publishable, secret: keys.secret });
  const authSql = postgres(pg.url("supabase_auth_admin"), { max: 4, onnotice: () => {} });
  const config = parseToml(await Deno.readTextFile(join(root, "supabase/config.toml"))) as { auth?: Record<string, unknown> };
  const auth = createAuth({ sql: authSql, tokens, keys, url, settings: { ...authSettings(config.auth), ...o.auth }, send: mail.send });
  const viaLite = async (req: Request, to: (r: Request) => Promise<Response>) => {
    const r = await tokens.forLite(req);
    return r instanceof Response ? r : await to(r);
  };
  const storage = createStorageShim({ inner: lite.storage, store: lite.store });
  const realtime = createRealtime({ adminUrl, keys, claims: tokens.claims });
  const [cron, net] = await Promise.all([startCron({ adminUrl, userUrl: pg.url }), startNet({ adminUrl })]);
  lap("realtime+jobs");
  for (const [k, v] of Object.entries({
    SUPABASE_URL: url,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishable }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secret }),
    SUPABASE_JWKS: JSON.stringify(tokens.jwks),
    SUPABASE_DB_URL: pg.url("postgres"),
    SMTP_URL: `smtp://127.0.0.1:${mail.smtpPort}`,
  })) Deno.env.set(k, v);
  const functions = createFunctions(o.functions ?? join(root, "functions"));
  const abort = new AbortController();
  const server = Deno.serve({ port, hostname: "127.0.0.1", onListen() {}, signal: abort.signal }, async (req) => {
    const p = new URL(req.url).pathname;
    try {
      if (p.startsWith("/functions/v1/")) return await functions(req);
      if (p === "/realtime/v1/websocket") return await realtime.upgrade(req);
      if (p.startsWith("/auth/v1")) return await auth(req);
      if (p.startsWith("/rest/v1")) return await viaLite(req, lite.rest);
      if (p.startsWith("/storage/v1")) return await viaLite(req, storage);
      if (p.startsWith("/inbox")) return mail.web(req);
      return new Response("not found", { status: 404 });
    } catch (e) {
      console.error(req.method, p, e);
      return Response.json({ message: String(e) }, { status: 500 });
    }
  });
  lap("gateway");
  timings.total = Math.round(performance.now() - t0);
  return {
    url, port, keys, pg, mail, lite, realtime, timings, adminSql,
    dbUrl: pg.url("postgres"),
    async stop() {
      let t = performance.now();
      const step = async (name: string, p: Promise<unknown>) => {
        await p;
        if (Deno.env.get("STOP_TRACE")) console.error("stop", name, Math.round(performance.now() - t));
        t = performance.now();
      };
      await step("realtime", realtime.close());
      abort.abort(); // does not wait for idle keep-alive connections
      await step("server", server.finished);
      await step("reload", reload.unlisten().catch(() => {}));
      await step("cron and net", Promise.all([cron.close(), net.close()]));
      await step("lite", lite.close());
      await step("admin", Promise.all([adminSql.end({ timeout: 1 }), authSql.end({ timeout: 1 })]));
      await step("mail", mail.close());
      await step("pg", pg.stop());
    },
  };
}
export type Stack = Awaited<ReturnType<typeof startStack>>;

if (import.meta.main) {
  const [dir = join(root, ".cache/dev")] = Deno.args.filter((a) => !a.startsWith("--"));
  const fixed = Deno.args.includes("--random") ? {} : { port: 55321, pgPort: 55432, smtpPort: 55325 };
  const s = await startStack({ dir, ...fixed, es256: Deno.args.includes("--es256") });
  console.log(JSON.stringify({ url: s.url, dbUrl: s.dbUrl, keys: s.keys, inbox: s.url + "/inbox/", timings: s.timings, pg: s.pg.timings, rssMB: Math.round(Deno.memoryUsage().rss / 1e6) }));
  let stopping: Promise<void> | undefined;
  const stop = () => void (stopping ??= s.stop().then(() => Deno.exit(0)));
  Deno.addSignalListener("SIGINT", stop);
  Deno.addSignalListener("SIGTERM", stop);
}
