/**
 * npm run demo:import -- [feed url or file] [--limit N]: imports a feed into a new podcast of the demo account, on the
 * stack of npm start, and reports progress and repairs. Without a feed: the stack's own demo feed. A file is served
 * from here, and so are the files beside it.
 */
import { basename, dirname, join, resolve } from "node:path";
import { createClient } from "@supabase/supabase-js";
import postgres from "postgres";
import { type Running, runningStack } from "../local/data_folder.ts";
import { allowFetching } from "../local/settings.ts";
import { dataDir, table } from "../local/cli/describe.ts";

interface Warning {
  code: string;
  message: string;
  count?: number;
}
interface Item {
  guid: string;
  status: string;
  title: string | null;
  error_message: string | null;
  error_code: string | null;
  warnings: Warning[];
}
/** What an import's row tells of it: asking for all its items twice a second would be most of the work. */
interface Progress {
  status: string;
  total_items: number;
  completed_count: number;
  failed_count: number;
  skipped_count: number;
}
/** An item that waits for its next attempt. */
interface Waiting {
  title: string | null;
  guid: string;
  error_message: string;
  next_attempt_at: string;
}
interface Import {
  warnings: Warning[];
  items: Item[];
}

/** The product said no: its sentence is enough. */
class Refused extends Error {}

const USAGE = "Usage: npm run demo:import -- [feed URL or file] [--limit N]";
const IN_FLIGHT = new Set(["verification_required", "preview", "pending", "running"]);
/** Of a list that could be long. */
const SHOWN = 10;

const { named, limit } = asked(Deno.args);
const stack = await runningStack(dataDir) as Running | undefined;
if (!stack?.url) stop("The stack is not running: npm start starts it.");
const sql = postgres(stack.dbUrl, { max: 1, onnotice: () => {}, fetch_types: false });
const feed = named ?? `${stack.url}/demo/feed.xml`;
const served = /^https?:/i.test(feed) ? undefined : serve(resolve(feed));
const feedUrl = served?.url ?? feed;
const api = await signedIn(stack);
const disallow = await allow(new URL(feedUrl));
let told = ""; // the last line of progress
const reasons = new Set<string>(); // why items wait, as far as it was told
let leaving: (() => Promise<unknown>) | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => leave(130));

try {
  await run();
} catch (error) {
  console.error(error instanceof Refused ? `\n${error.message}` : error);
  await leave(1);
}
await leave(0);

async function run() {
  const podcast = await api.podcast(
    `Import of ${named ? served ? basename(feed) : new URL(feed).host : "the demo feed"}`,
  );
  console.log(`Reading ${feed}`);
  const began = performance.now();
  const staged = await api.post("podcast", { podcast_id: podcast.id, feed_url: feedUrl });
  const { importId } = staged;
  leaving = () => api.post(`${importId}/cancel`).catch(() => {}); // asked to end: what has begun is finished
  console.log(`${staged.totalItems} episodes, read and staged in ${seconds(began)}`);
  if (staged.status === "verification_required") await prove(importId, staged);

  const { detection } = await api.row(importId);
  const pattern = detection?.pattern ?? null;
  console.log(
    pattern
      ? `Episode numbers: ${pattern}, ${Object.keys(detection.numbers).length} found, confidence ${
        detection.confidence.toFixed(2)
      }`
      : "Episode numbers: the titles have none that all agree on",
  );
  const confirmed = await api.post(`${importId}/confirm`, { applyDetectedEpisodeNumbers: pattern !== null, limit });
  console.log(`${confirmed.selectedCount} to import, ${confirmed.heldCount} held back\n`);

  const started = performance.now();
  let now: Progress;
  do {
    await new Promise((resolve) => setTimeout(resolve, 500));
    now = await api.row(importId);
    const waiting = await api.waiting(importId);
    explain(waiting.items);
    tell(now, await api.working(importId), waiting.count);
  } while (IN_FLIGHT.has(now.status));
  leaving = undefined;
  console.log(`\n\nThe import is ${now.status}, after ${seconds(started)}.`);
  report(await api.imported(importId));
  console.log(`\nPodcast: ${podcast.slug} (${podcast.id}), of demo@castbase.test`);
}

/** The owner's code, out of the local inbox; a feed that names no owner has to be changed first. */
async function prove(importId: string, { method, ownerEmail, verificationToken }: Record<string, string>) {
  if (method !== "email_code") {
    throw new Refused(
      `The feed is locked and names no owner. Whoever owns it puts this into it: <podcast:txt>${verificationToken}</podcast:txt>`,
    );
  }
  const [{ owner_email }] = await sql`select owner_email from private.import_owners where import_id = ${importId}`;
  console.log(`The feed is locked: a code goes to ${ownerEmail}, and is read in the local inbox`);
  for (let tries = 0; tries < 60; tries++) {
    const query = new URLSearchParams({ query: `to:"${owner_email}"` });
    const { messages } = await (await fetch(`${stack!.mailUrl}/api/v1/search?${query}`)).json();
    const mail = messages[0] && await (await fetch(`${stack!.mailUrl}/api/v1/message/${messages[0].ID}`)).json();
    const code = /^(\d{6})\r?$/m.exec(mail?.Text ?? "")?.[1];
    if (code && await api.post(`${importId}/verify-ownership`, { code }).then(() => true, () => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Refused("No code came");
}

/** One line, written over itself where the terminal can. */
function tell(
  { total_items: total, completed_count: done, failed_count: failed, skipped_count: skipped }: Progress,
  working: number,
  waiting: number,
) {
  const width = 30, filled = total ? Math.floor((done + failed + skipped) / total * width) : width;
  const line = `[${"=".repeat(filled)}${" ".repeat(width - filled)}] ${done} imported, ${failed} failed, ` +
    `${skipped} skipped, ${working} at work, ${waiting ? `${waiting} waiting to be retried, ` : ""}of ${total}`;
  if (Deno.stdout.isTerminal()) Deno.stdout.writeSync(new TextEncoder().encode(`\r\x1b[K${line}`));
  else if (line !== told) console.log(line);
  told = line;
}

/** Each reason why items wait, once: above the line of progress, which is rewritten. */
function explain(waiting: Waiting[]) {
  for (const { title, guid, error_message, next_attempt_at } of waiting) {
    if (reasons.has(error_message)) continue;
    reasons.add(error_message);
    if (Deno.stdout.isTerminal()) Deno.stdout.writeSync(new TextEncoder().encode("\r\x1b[K"));
    const time = new Date(next_attempt_at).toLocaleTimeString("en", { hourCycle: "h23" });
    console.log(`Waiting to retry “${title ?? guid}” at ${time}: ${error_message}`);
  }
}

/** What became of it, and what was repaired, left out or not understood. */
function report({ items, warnings }: Import) {
  const standing = Map.groupBy(items, ({ status }) => status);
  console.log("\n" + table([...standing].map(([status, of]) => [status, String(of.length)])));

  const lost = items.filter(({ error_message, status }) =>
    error_message && status !== "completed" && status !== "skipped_user_limit"
  );
  if (lost.length) console.log("\nNot imported");
  for (const { title, guid, error_message, error_code } of lost.slice(0, SHOWN)) {
    console.log(`  ${title ?? guid}: ${error_message}${error_code ? ` (${error_code})` : ""}`);
  }
  if (lost.length > SHOWN) console.log(`  … and ${lost.length - SHOWN} more`);

  console.log("\nFidelity report");
  const rows = [...warnings, ...ownWarnings(items, warnings)];
  if (!rows.length) return console.log("  Nothing had to be repaired or left out.");
  for (const { code, message, count = 1 } of rows) console.log(`${String(count).padStart(6)} × ${code}: ${message}`);
}

/** Those of items that the feed's do not count: what was met while its files were fetched. */
function ownWarnings(items: Item[], counted: Warning[]): Warning[] {
  const known = new Set(counted.map(({ code }) => code));
  const mine = items.flatMap(({ warnings }) => warnings).filter(({ code }) => !known.has(code));
  return [...Map.groupBy(mine, ({ code }) => code).values()].map((all) => ({ ...all[0], count: all.length }));
}

/** The routes, as the demo account. */
async function signedIn({ url, publishableKey, functionsUrl }: Running) {
  const auth = { persistSession: false, autoRefreshToken: true };
  const client = createClient(url, publishableKey, { auth });
  const account = { email: "demo@castbase.test", password: "castbase-demo" };
  const { error } = await client.auth.signInWithPassword(account);
  if (error) stop(`The demo account cannot sign in (${error.message}): npm run db:reset makes it anew.`);

  async function ask(method: string, path: string, json?: unknown) {
    const { data: { session } } = await client.auth.getSession();
    const response = await fetch(`${functionsUrl}/api/imports/${path}`, {
      method,
      headers: { authorization: `Bearer ${session!.access_token}`, "content-type": "application/json" },
      body: method === "POST" ? JSON.stringify(json ?? {}) : undefined,
    });
    const body = await response.json();
    if (!response.ok) {
      throw new Refused(`${body.error}${body.code ? ` (${body.code})` : ""}${body.details ? `: ${body.details}` : ""}`);
    }
    return body.data;
  }

  return {
    async podcast(title: string): Promise<{ id: string; slug: string }> {
      const { data, error } = await client.rpc("create_podcast", { title });
      if (error) throw new Refused(error.message);
      return data;
    },
    post: (path: string, json?: unknown) => ask("POST", path, json),
    async row(id: string) {
      const { data, error } = await client.from("podcast_imports")
        .select("status, total_items, completed_count, failed_count, skipped_count, detection").eq("id", id).single();
      if (error) throw new Refused(error.message);
      return data;
    },
    async working(id: string): Promise<number> {
      const items = client.from("podcast_import_items").select("id", { count: "exact", head: true });
      const { count } = await items.eq("import_id", id).eq("status", "processing");
      return count ?? 0;
    },
    async waiting(id: string): Promise<{ count: number; items: Waiting[] }> {
      const { data, count } = await client.from("podcast_import_items")
        .select("title, guid, error_message, next_attempt_at", { count: "exact" })
        .eq("import_id", id).not("next_attempt_at", "is", null).order("next_attempt_at").limit(SHOWN);
      return { count: count ?? 0, items: data as Waiting[] | null ?? [] };
    },
    imported: (id: string) => ask("GET", id),
  };
}

/** A file as a feed on the loopback interface, with what lies beside it. */
function serve(file: string) {
  const folder = dirname(file);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async ({ url }) => {
    const asked = join(folder, decodeURIComponent(new URL(url).pathname));
    if (asked !== file && dirname(asked) !== folder) return new Response(null, { status: 404 });
    const opened = await Deno.open(asked).catch(() => undefined);
    return opened ? new Response(opened.readable) : new Response(null, { status: 404 });
  });
  server.unref();
  return { url: `http://127.0.0.1:${server.addr.port}/${encodeURIComponent(basename(file))}` };
}

/** Lets a feed on this machine's loopback be fetched while the demo runs; returns how to end that. */
async function allow({ host, hostname }: URL) {
  const nothing = () => Promise.resolve();
  if (!/^(127\.|localhost$|\[::1\]$)/.test(hostname)) return nothing;
  if (!await allowFetching(sql, host)) return nothing;
  return async () => {
    await sql`update private.settings set value = nullif(array_to_string(array_remove(string_to_array(value, ','), ${host}), ','), '')
      where key = 'fetch_allowed_hosts'`;
  };
}

async function leave(code: number): Promise<never> {
  await leaving?.();
  await disallow();
  await sql.end({ timeout: 1 });
  Deno.exit(code);
}

function asked(args: string[]) {
  const rest = [...args];
  const at = rest.indexOf("--limit");
  const limit = at < 0 ? null : Number(rest.splice(at, 2)[1]);
  if (rest.length > 1 || rest[0]?.startsWith("-") || limit !== null && !(Number.isInteger(limit) && limit >= 0)) {
    stop(USAGE);
  }
  return { named: rest[0], limit };
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}

function stop(sentence: string): never {
  console.error(sentence);
  Deno.exit(1);
}
