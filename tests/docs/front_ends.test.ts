// docs/front_ends.md lists each type of notification, and each trigger and tag of automations.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { AutomationTrigger } from "../../types/automations.ts";

Deno.test("docs/front_ends.md lists each type of the catalogue of notifications", async () => {
  const read = (path: string) => Deno.readTextFile(join(repository, path));
  const rows = (text: string, row: RegExp) => [...text.matchAll(row)].map(([, type]) => type).sort();
  const types = rows(await read("sql/70_notifications/rows.sql"), /^ {4}\('([a-z_]+\.[a-z_]+)', /gm);
  ok(types.length > 20, `${types.length} types`);
  const table = (await read("docs/front_ends.md")).split("\n### Notification types\n")[1].split("\n##")[0];
  deepEqual(rows(table, /^\| `([\w.]+)`/gm), types);
});

Deno.test("docs/front_ends.md lists each trigger of automations", async () => {
  const text = await Deno.readTextFile(join(repository, "docs/front_ends.md"));
  const listed = [...text.split("\n### Automations\n")[1].split("\n##")[0].matchAll(/^\| `([\w.]+)`/gm)]
    .map(([, trigger]) => trigger);
  deepEqual(listed, AutomationTrigger.options);
});

Deno.test("docs/front_ends.md lists each tag of automations", async () => {
  const read = (path: string) => Deno.readTextFile(join(repository, path));
  const tags = (text: string, row: RegExp) => [...text.matchAll(row)].map(([, tag]) => tag).sort();
  const rows = (await read("sql/80_automations/rows.sql")).split("insert into public.automation_tags")[1];
  const table = (await read("docs/front_ends.md")).split("\n#### Tags of templates\n")[1].split("\n## ")[0];
  deepEqual(tags(table, /^\| `(\w+)`/gm), tags(rows, /^ {4}\('(\w+)',/gm));
});
