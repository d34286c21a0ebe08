// The diagrams of docs/architecture.md draw the state machines that the triggers t310_guard_status hold.
import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";

const architecture = await Deno.readTextFile(join(repository, "docs/architecture.md"));

/** Transitions by table, as `from > to`, from the diagrams below a comment `states: <table>`. */
function drawnMachines(): Record<string, string[]> {
  const diagrams = architecture.matchAll(/<!-- states: (\w+) -->\s+```mermaid\nstateDiagram-v2\n(.*?)```/gs);
  return Object.fromEntries([...diagrams].map(([, table, lines]) => [
    table,
    [...lines.matchAll(/^ +(\w+) --> (\w+)$/gm)].map(([, from, to]) => `${from} > ${to}`).sort(),
  ]));
}

Deno.test("docs/architecture.md draws each state machine with exactly the transitions that its trigger allows", async () => {
  await using database = await createFeedDatabase();
  const triggers = await database.sql<{ table: string; definition: string }[]>`
    select c.relname as table, pg_get_triggerdef(t.oid) as definition
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgfoid = 'private.guard_status'::regproc`;
  const held = triggers.map(({ table, definition }) => {
    const lines = [...definition.matchAll(/'(\w+): ([\w ]+)'/g)];
    return [table, lines.flatMap(([, from, to]) => to.split(" ").map((status) => `${from} > ${status}`)).sort()];
  });
  deepEqual(drawnMachines(), Object.fromEntries(held));
});

Deno.test("docs/architecture.md draws each final state as an end, and no other", async () => {
  await using database = await createFeedDatabase();
  const statuses = await database.sql<{ table: string; status: string }[]>`
    select c.relname as table, e.enumlabel as status
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'status'
    join pg_enum e on e.enumtypid = a.atttypid
    where t.tgfoid = 'private.guard_status'::regproc`;
  const machines = drawnMachines();
  const isFinal = ({ table, status }: { table: string; status: string }) =>
    !machines[table].some((transition) => transition.startsWith(`${status} >`));
  const final = statuses.filter(isFinal).map(({ table, status }) => `${table}: ${status}`);
  const drawn = [...architecture.matchAll(/<!-- states: (\w+) -->\s+```mermaid\n(.*?)```/gs)]
    .flatMap(([, table, lines]) =>
      [...lines.matchAll(/^ +(\w+) --> \[\*\]$/gm)].map(([, status]) => `${table}: ${status}`)
    );
  deepEqual(drawn.sort(), final.sort());
});
