// The diagrams of docs/front_ends.md draw the state machines that the triggers t310_guard_status hold.
import { deepStrictEqual as deepEqual } from "node:assert";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";

const document = await Deno.readTextFile(join(repository, "docs/front_ends.md"));

/** Transitions by table, as `from > to`, from the diagrams below a comment `states: <table>`. */
function drawnMachines(): Record<string, string[]> {
  const diagrams = document.matchAll(/<!-- states: (\w+) -->\s+```mermaid\nstateDiagram-v2\n(.*?)```/gs);
  return Object.fromEntries([...diagrams].map(([, table, lines]) => [
    table,
    [...lines.matchAll(/^ +(\w+) --> (\w+)$/gm)].map(([, from, to]) => `${from} > ${to}`).sort(),
  ]));
}

Deno.test("docs/front_ends.md draws state machines with exactly the transitions that its trigger allows", async () => {
  await using database = await createFeedDatabase();
  const triggers = await database.sql<{ table: string; definition: string }[]>`
    select c.relname as table, pg_get_triggerdef(t.oid) as definition
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgfoid = 'private.guard_status'::regproc`;
  const held = triggers.map(({ table, definition }) => {
    const lines = [...definition.matchAll(/'(\w+): ([\w ]+)'/g)];
    return [table, lines.flatMap(([, from, to]) => to.split(" ").map((status) => `${from} > ${status}`)).sort()];
  });
  const drawn = drawnMachines();
  deepEqual(Object.keys(drawn), ["podcast_imports", "bookings"]);
  deepEqual(drawn, Object.fromEntries(held.filter(([table]) => table as string in drawn)));
});
