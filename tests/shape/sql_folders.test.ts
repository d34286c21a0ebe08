// A folder of sql/ knows only itself and lower-numbered folders: its files mention no object of a higher one, not even
// in a comment. 99_wiring connects them all.
import { deepEqual, ok } from "node:assert/strict";
import { sourceFiles } from "../source_files.ts";

const wiring = "99_wiring";

/** The folder that a queue or setting belongs to: the first whose pattern matches its name. 99_wiring writes their rows. */
const rowOwners: [pattern: RegExp, folder: string][] = [
  [/^unconfirmed_user_|^max_(sender|network)_emails_|^max_emails_from|^max_new_recipients/, "10_accounts"],
  [/automation|^webhook_secret_/, "80_automations"],
  [/^max_account_/, "97_personal_data"],
  [/podcast_deletions|billing|stripe|checkouts|portal_sessions/, "25_lifecycle"],
  [/^captcha_/, "40_guests"],
  [/^(max_)?podcast(s|_invitation|_transfer)/, "20_podcasts"],
  [/^(show_notes|listen_url)$/, "30_episodes"],
  [/media|audio|storage|orphan|temporary|artwork|upload/, "35_media"],
  [/booking/, "60_bookings"],
  [/guest/, "40_guests"],
  [/^calendar_sync$/, "50_people"],
  [/calendar_(cache|refresh|reads|connect|urls)/, "60_bookings"],
  [/import|ownership/, "75_imports"],
  [/^feed_(invalidation|ping)|^websub_|^podping_|^cdn_purge/, "90_feeds"],
  [/^deliveries$|notification|deliver|resend|email_token|push/, "70_notifications"],
  [/^(public|base|public_api|embed|pages|app|worker)_url$|^trusted_proxy_hops$|^fetch_allowed_hosts$/, "00_foundation"],
];

interface Source {
  file: string;
  folder: string;
  text: string;
}

const sources: Source[] = sourceFiles(["sql"], /\.sql$/).map(({ path, text }) => {
  const [, folder, file] = path.split("/");
  return { file: `${folder}/${file}`, folder, text };
});

/** Each name that a folder creates, with the lowest folder that does. */
function owners(files: Source[]): Map<string, string> {
  const found = new Map<string, string>();
  const add = (name: string, folder: string) => {
    if (!found.has(name) || folder < found.get(name)!) found.set(name, folder);
  };
  for (const { folder, text } of files) {
    if (folder === wiring) continue;
    const created = /^create (?:or replace )?(?:function|table|view|type) (?:public|private)\.(\w+)/gm;
    for (const [, name] of text.matchAll(created)) add(name, folder);
    for (const [, name] of text.matchAll(/set_config\('(castbase\.\w+)'/g)) add(name, folder);
  }
  return found;
}

/** The queues and settings of 99_wiring, with their folder. */
function rowsByOwner(files: Source[]): Map<string, string | undefined> {
  const rows = files.filter(({ folder }) => folder === wiring)
    .flatMap(({ text }) => text.match(/^ +insert into private\.(settings|queues) [^]*?on conflict/gm) ?? [])
    .flatMap((insert) => [...insert.matchAll(/^ {4}\('(\w+)'/gm)].map(([, name]) => name));
  return new Map(rows.map((name) => [name, rowOwners.find(([pattern]) => pattern.test(name))?.[1]]));
}

/** "file: name (folder)" of each object, queue and setting of a higher folder that a file mentions. */
function upwardMentions(files: Source[]): string[] {
  const names = owners(files);
  const mentions = new Set<string>();
  for (const { file, folder, text } of files) {
    if (folder === wiring) continue;
    for (const [qualified, name] of text.matchAll(/(?:\b(?:public|private)\.)?(castbase\.\w+|\b\w+)/g)) {
      const owner = names.get(name);
      // a single word may be prose; it is an object only when its schema is named
      const isObject = /[_.]/.test(name) || qualified !== name;
      if (owner && owner > folder && isObject) mentions.add(`${file}: ${name} (${owner})`);
    }
    for (const [name, owner] of rowsByOwner(files)) {
      if (owner! > folder && new RegExp(`'${name}'|\\bq_${name}\\b`).test(text)) {
        mentions.add(`${file}: ${name} (${owner})`);
      }
    }
  }
  return [...mentions].sort();
}

Deno.test("no file of sql/ mentions an object, queue or setting of a higher folder", () => {
  deepEqual(upwardMentions(sources), []);
});

Deno.test("each queue and each setting belongs to a folder", () => {
  const names = rowsByOwner(sources);
  ok(names.size > 30, `${names.size} found`);
  deepEqual([...names].filter(([, folder]) => !folder), []);
});

Deno.test("upwardMentions finds functions, tables, queues, a transaction's settings and comments", () => {
  const lower = `-- see make_higher
    select private.high(), current_setting('castbase.x'), private.enqueue('show_notes') from high`;
  const higher = `create function private.make_higher() …
create table public.high (
set_config('castbase.x', …)`;
  const inserted = "  insert into private.queues (name) values\n    ('show_notes') on conflict";
  const found = upwardMentions([
    { file: "10_a/1.sql", folder: "10_a", text: lower },
    { file: "20_b/1.sql", folder: "20_b", text: higher },
    { file: "99_wiring/1.sql", folder: wiring, text: inserted },
  ]);
  deepEqual(found, [
    "10_a/1.sql: castbase.x (20_b)",
    "10_a/1.sql: high (20_b)",
    "10_a/1.sql: make_higher (20_b)",
    "10_a/1.sql: show_notes (30_episodes)",
  ]);
});
