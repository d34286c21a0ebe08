/**
 * npm run demo:import -- [feed URL or file] [--limit N]: imports a feed into a new podcast of the demo account, on the
 * stack of npm start, and reports progress and repairs. The default is the stack's demo feed. This process serves a
 * file and the files beside it.
 */
import { basename, dirname, join, resolve } from "node:path";
import { createClient } from "@supabase/supabase-js";
import postgres from "postgres";
import { readStackStatus } from "./local_stack.ts";

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
/** The columns of an import's row that show progress: reading all items twice a second would be most of the work. */
interface Progress {
  status: string;
  total_items: number;
  completed_count: number;
  failed_count: number;
  skipped_count: number;
}
/** An item that waits for a retry. */
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

/** An error response of the product, printed without a stack trace. */
class ProductError extends Error {}

const USAGE = "Usage: npm run demo:import -- [feed URL or file] [--limit N]";
const IN_FLIGHT = new Set(["verification_required", "preview", "pending", "running"]);
/** The number of items that a list shows. */
const MAX_SHOWN = 10;

const { source, limit } = parseArguments(Deno.args);
const status = await readStackStatus();
if ("reason" in status) exitWith(status.reason);
const { stack } = status;
const sql = postgres(stack.DB_URL, { max: 1, onnotice: () => {}, fetch_types: false });
const feed = source ?? `${stack.API_URL}/demo/feed.xml`;
const isFile = !/^https?:/i.test(feed);
if (isFile && !await Deno.stat(feed).then((entry) => entry.isFile, () => false)) exitWith(`No such file: ${feed}`);
const server = isFile ? serveFile(resolve(feed)) : undefined;
const feedUrl = server?.url ?? feed;
const api = await signIn();
const disallow = await allowFetching(new URL(feedUrl));
let lastProgress = "";
const reportedReasons = new Set<string>(); // of items that wait for a retry
let cancelImport: (() => Promise<unknown>) | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => exit(130));

try {
  await run();
} catch (error) {
  console.error(error instanceof ProductError ? `\n${error.message}` : error);
  await exit(1);
}
await exit(0);

async function run() {
  const podcast = await api.podcast(
    `Import of ${source ? server ? basename(feed) : new URL(feed).host : "the demo feed"}`,
  );
  console.log(`Reading ${feed}`);
  const startedAt = performance.now();
  const staged = await api.post("podcast", { podcast_id: podcast.id, feed_url: feedUrl }).catch(async (error) => {
    await sql`delete from public.podcasts where id = ${podcast.id}`; // it would stay empty
    throw error;
  });
  const { importId } = staged;
  cancelImport = () => api.post(`${importId}/cancel`).catch(() => {}); // items in transfer finish
  console.log(`${staged.totalItems} episodes, read and staged in ${seconds(startedAt)}`);
  if (staged.status === "verification_required") await verifyOwnership(importId, staged);

  const { detection } = await api.row(importId);
  const pattern = detection?.pattern ?? null;
  console.log(
    pattern
      ? `Episode numbers: ${pattern}, ${Object.keys(detection.numbers).length} found, confidence ${
        detection.confidence.toFixed(2)
      }`
      : "Episode numbers: none detected",
  );
  const confirmed = await api.post(`${importId}/confirm`, { applyDetectedEpisodeNumbers: pattern !== null, limit });
  console.log(`${confirmed.selectedCount} selected, ${confirmed.heldCount} held back\n`);

  const importStartedAt = performance.now();
  let progress: Progress;
  do {
    await new Promise((resolve) => setTimeout(resolve, 500));
    progress = await api.row(importId);
    const waiting = await api.waiting(importId);
    printRetries(waiting.items);
    printProgress(progress, await api.countProcessing(importId), waiting.count);
  } while (IN_FLIGHT.has(progress.status));
  cancelImport = undefined;
  console.log(`\n\nImport ${progress.status} in ${seconds(importStartedAt)}.`);
  printReport(await api.read(importId));
  console.log(`\nPodcast: ${podcast.slug} (${podcast.id}), owner demo@castbase.test`);
}

/** Submits the owner's code from the local inbox. A feed without an owner needs a tag instead. */
async function verifyOwnership(importId: string, { method, ownerEmail, verificationToken }: Record<string, string>) {
  if (method !== "email_code") {
    throw new ProductError(
      `The feed is locked and lists no owner. Add this tag to the feed: <podcast:txt>${verificationToken}</podcast:txt>`,
    );
  }
  const [{ owner_email }] =
    await sql`select owner_email from private.import_owner_verifications where import_id = ${importId}`;
  console.log(`The feed is locked; sending a code to ${ownerEmail} (read from the local inbox)`);
  for (let tries = 0; tries < 60; tries++) {
    const query = new URLSearchParams({ query: `to:"${owner_email}"` });
    const { messages } = await (await fetch(`${stack.MAIL_URL}/api/v1/search?${query}`)).json();
    const email = messages[0] && await (await fetch(`${stack.MAIL_URL}/api/v1/message/${messages[0].ID}`)).json();
    const code = /^(\d{6})\r?$/m.exec(email?.Text ?? "")?.[1];
    if (code && await api.post(`${importId}/verify-ownership`, { code }).then(() => true, () => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new ProductError("No code arrived within 30 s");
}

/** Prints progress in one line, which a terminal overwrites. */
function printProgress(
  { total_items: total, completed_count: completed, failed_count: failed, skipped_count: skipped }: Progress,
  processing: number,
  waiting: number,
) {
  const width = 30, filled = total ? Math.floor((completed + failed + skipped) / total * width) : width;
  const line = `[${"=".repeat(filled)}${" ".repeat(width - filled)}] ${completed} imported, ${failed} failed, ` +
    `${skipped} skipped, ${processing} processing, ${waiting ? `${waiting} waiting for a retry, ` : ""}of ${total}`;
  if (Deno.stdout.isTerminal()) Deno.stdout.writeSync(new TextEncoder().encode(`\r\x1b[K${line}`));
  else if (line !== lastProgress) console.log(line);
  lastProgress = line;
}

/** Prints each reason for a retry once, above the line of progress. */
function printRetries(waiting: Waiting[]) {
  for (const { title, guid, error_message, next_attempt_at } of waiting) {
    if (reportedReasons.has(error_message)) continue;
    reportedReasons.add(error_message);
    if (Deno.stdout.isTerminal()) Deno.stdout.writeSync(new TextEncoder().encode("\r\x1b[K"));
    const time = new Date(next_attempt_at).toLocaleTimeString("en", { hourCycle: "h23" });
    console.log(`Waiting to retry “${title ?? guid}” at ${time}: ${error_message}`);
  }
}

/** Prints the result: items by status, failures, and warnings. */
function printReport({ items, warnings }: Import) {
  const byStatus = Map.groupBy(items, ({ status }) => status);
  console.log("\n" + [...byStatus].map(([status, { length }]) => `${status.padStart(18)}: ${length}`).join("\n"));

  const failures = items.filter(({ error_message, status }) =>
    error_message && status !== "completed" && status !== "skipped_user_limit"
  );
  if (failures.length) console.log("\nNot imported");
  for (const { title, guid, error_message, error_code } of failures.slice(0, MAX_SHOWN)) {
    console.log(`  ${title ?? guid}: ${error_message}${error_code ? ` (${error_code})` : ""}`);
  }
  if (failures.length > MAX_SHOWN) console.log(`  … and ${failures.length - MAX_SHOWN} more`);

  console.log("\nFidelity report");
  const rows = [...warnings, ...itemWarnings(items, warnings)];
  if (!rows.length) return console.log("  No issues found.");
  for (const { code, message, count = 1 } of rows) console.log(`${String(count).padStart(6)} × ${code}: ${message}`);
}

/** Warnings that the feed's list does not count: those of the transfer of an item's files. */
function itemWarnings(items: Item[], counted: Warning[]): Warning[] {
  const known = new Set(counted.map(({ code }) => code));
  const others = items.flatMap(({ warnings }) => warnings).filter(({ code }) => !known.has(code));
  return [...Map.groupBy(others, ({ code }) => code).values()].map((all) => ({ ...all[0], count: all.length }));
}

/** Signs in as the demo account and returns its client. */
async function signIn() {
  const auth = { persistSession: false, autoRefreshToken: true };
  const client = createClient(stack.API_URL, stack.PUBLISHABLE_KEY, { auth });
  const account = { email: "demo@castbase.test", password: "castbase-demo" };
  const { error } = await client.auth.signInWithPassword(account);
  if (error) exitWith(`The demo account cannot sign in (${error.message}). Recreate it with npm run db:reset.`);

  async function request(method: string, path: string, json?: unknown) {
    const { data: { session } } = await client.auth.getSession();
    const response = await fetch(`${stack.FUNCTIONS_URL}/api/imports/${path}`, {
      method,
      headers: { authorization: `Bearer ${session!.access_token}`, "content-type": "application/json" },
      body: method === "POST" ? JSON.stringify(json ?? {}) : undefined,
    });
    const body = await response.json();
    if (!response.ok) {
      throw new ProductError(
        `${body.error}${body.code ? ` (${body.code})` : ""}${body.details ? `: ${body.details}` : ""}`,
      );
    }
    return body.data;
  }

  return {
    async podcast(title: string): Promise<{ id: string; slug: string }> {
      const { data, error } = await client.rpc("create_podcast", { title });
      if (error) throw new ProductError(error.message);
      return data;
    },
    post: (path: string, json?: unknown) => request("POST", path, json),
    async row(id: string) {
      const { data, error } = await client.from("podcast_imports")
        .select("status, total_items, completed_count, failed_count, skipped_count, detection").eq("id", id).single();
      if (error) throw new ProductError(error.message);
      return data;
    },
    async countProcessing(id: string): Promise<number> {
      const items = client.from("podcast_import_items").select("id", { count: "exact", head: true });
      const { count } = await items.eq("import_id", id).eq("status", "processing");
      return count ?? 0;
    },
    async waiting(id: string): Promise<{ count: number; items: Waiting[] }> {
      const { data, count } = await client.from("podcast_import_items")
        .select("title, guid, error_message, next_attempt_at", { count: "exact" })
        .eq("import_id", id).not("next_attempt_at", "is", null).order("next_attempt_at").limit(MAX_SHOWN);
      return { count: count ?? 0, items: data as Waiting[] | null ?? [] };
    },
    read: (id: string): Promise<Import> => request("GET", id),
  };
}

/** Serves a file and the files beside it on the loopback interface. */
function serveFile(file: string) {
  const folder = dirname(file);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async ({ url }) => {
    const path = join(folder, decodeURIComponent(new URL(url).pathname));
    if (path !== file && dirname(path) !== folder) return new Response(null, { status: 404 });
    const opened = await Deno.open(path).catch(() => undefined);
    return opened ? new Response(opened.readable) : new Response(null, { status: 404 });
  });
  server.unref();
  return { url: `http://127.0.0.1:${server.addr.port}/${encodeURIComponent(basename(file))}` };
}

/** Allows imports to fetch from a host of the loopback interface. Returns a function that ends this. */
async function allowFetching({ host, hostname }: URL) {
  const nothing = () => Promise.resolve();
  if (!/^(127\.|localhost$|\[::1\]$)/.test(hostname)) return nothing;
  const { count } = await sql`
    update private.settings set value = concat_ws(',', nullif(value, ''), ${host}::text)
    where key = 'fetch_allowed_hosts' and ${host} <> all (regexp_split_to_array(coalesce(value, ''), '[\\s,]+'))`;
  if (!count) return nothing;
  return async () => {
    await sql`
      update private.settings
      set value = nullif(array_to_string(array_remove(string_to_array(value, ','), ${host}), ','), '')
      where key = 'fetch_allowed_hosts'`;
  };
}

async function exit(code: number): Promise<never> {
  await cancelImport?.();
  await disallow();
  await sql.end({ timeout: 1 });
  Deno.exit(code);
}

function parseArguments(args: string[]) {
  const rest = [...args];
  const at = rest.indexOf("--limit");
  const limit = at < 0 ? null : Number(rest.splice(at, 2)[1]);
  if (rest.length > 1 || rest[0]?.startsWith("-") || limit !== null && !(Number.isInteger(limit) && limit >= 0)) {
    exitWith(USAGE);
  }
  return { source: rest[0], limit };
}

function seconds(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}

function exitWith(message: string): never {
  console.error(message);
  Deno.exit(1);
}
