// A folder of sql/ knows only itself and lower-numbered folders: its files mention no object of a higher one, not even
// in a comment. 99_wiring connects them all.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { relative } from "node:path";
import { isRowsFile, planLimitsOf, queuesOf, settingsOf } from "../reference_rows.ts";
import { sourceFiles } from "../source_files.ts";

const wiring = "99_wiring";

interface Source {
  file: string;
  folder: string;
  text: string;
}

const sources: Source[] = sourceFiles(["sql"], /\.sql$/).map(({ path, text }) => {
  const [, folder] = path.split("/");
  return { file: relative("sql", path), folder, text };
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

/** The folder of each queue, setting and plan limit: the one whose rows.sql installs it. */
const rowOwners = (files: Source[]): [name: string, folder: string][] =>
  files.filter(({ file }) => isRowsFile(`sql/${file}`)).flatMap(({ folder, text }) =>
    [
      ...queuesOf(text).map(({ name }) => name),
      ...settingsOf(text).map(({ key }) => key),
      ...planLimitsOf(text).map(({ name }) => name),
    ].map((name): [string, string] => [name, folder])
  );

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
    for (const [name, owner] of rowOwners(files)) {
      if (owner > folder && new RegExp(`'${name}'|\\bq_${name}\\b`).test(text)) {
        mentions.add(`${file}: ${name} (${owner})`);
      }
    }
  }
  return [...mentions].sort();
}

Deno.test("no file of sql/ mentions an object, queue or setting of a higher folder", () => {
  deepEqual(upwardMentions(sources), []);
});

Deno.test("only rows.sql installs queues, settings, plan limits and cron jobs, each once", () => {
  const names = rowOwners(sources).map(([name]) => name);
  ok(names.length > 80, `${names.length} found`);
  const plans = sources.flatMap(({ text }) => planLimitsOf(text)).map(({ plan, name }) => `${plan} ${name}`);
  deepEqual(plans, [...new Set(plans)]);
  const others = rowOwners(sources.map((one) => ({ ...one, text: one.text.replace(/\('\w+', 'max_\w+', .*/g, "") })));
  deepEqual(others.map(([name]) => name).filter((name, n, all) => all.indexOf(name) < n), []);
  const installs =
    /(?:perform|select) private\.(?:install_(?:setting|queue|plan_limit)|schedule_job)\(|insert into private\.(?:settings|queues|plan_limits) /;
  const elsewhere = sources.filter(({ file, text }) => !isRowsFile(`sql/${file}`) && installs.test(text));
  deepEqual(elsewhere.map(({ file }) => file), [
    "00_foundation/rules/install.sql",
    "10_accounts/tables/23_plan_limits.sql",
  ]);
});

Deno.test("private.install() calls the function of each rows.sql, named after its domain, in load order", () => {
  const rows = sources.filter(({ file }) => isRowsFile(`sql/${file}`));
  const functions = rows.map(({ text }) => /^create function private\.(install_\w+)\(\)/m.exec(text)![1]);
  const expected = rows.map(({ file }) => file.replace(/^\d+_(\w+)\/rows\.sql$/, "$1"));
  deepEqual(functions, expected.map((name) => `install_${name}`));
  const wired = sources.filter(({ folder }) => folder === wiring).map(({ text }) => text).join("\n");
  const [install] = wired.match(/create function private\.install\(\)[^]*?end \$\$/)!;
  const calls = [...install.matchAll(/perform private\.(install_\w+)\(\)/g)].map(([, name]) => name);
  deepEqual(calls, [...functions, "install_texts", "install_platform_objects"]);
});

Deno.test("the texts of a domain are in its folder, a file and a function for each language", () => {
  const texts = sources.filter(({ text }) => /^create function private\.texts_/m.test(text));
  ok(texts.length > 10, `${texts.length} files`);
  for (const { file, text } of texts) {
    const [, domain, language] = /^\d+_(\w+)\/texts_(\w+)\.sql$/.exec(file) ?? [];
    deepEqual(text.match(/(?<=^create function private\.)\w+/gm), [`texts_${language}_of_${domain}`], file);
  }
});

Deno.test("upwardMentions finds functions, tables, queues, a transaction's settings and comments", () => {
  const lower = `-- see make_higher
    select private.high(), current_setting('castbase.x'), private.enqueue('show_notes') from high`;
  const higher = `create function private.make_higher() …
create table public.high (
set_config('castbase.x', …)`;
  const rows = "  perform private.install_queue('show_notes', 10, '2 seconds', '5 minutes', 'Sanitizes')";
  const found = upwardMentions([
    { file: "10_a/1.sql", folder: "10_a", text: lower },
    { file: "20_b/1.sql", folder: "20_b", text: higher },
    { file: "30_c/rows.sql", folder: "30_c", text: rows },
  ]);
  deepEqual(found, [
    "10_a/1.sql: castbase.x (20_b)",
    "10_a/1.sql: high (20_b)",
    "10_a/1.sql: make_higher (20_b)",
    "10_a/1.sql: show_notes (30_c)",
  ]);
});
