// Random histories of operations that store, reference, replace, collect and sweep objects: referenced objects always
// exist, accounts are charged for exactly those, and a year later no other object is left.
import { deepStrictEqual as deepEqual } from "node:assert";
import { randomNumbers } from "../random.ts";
import { byScale } from "../scale.ts";
import { createRaceDatabase, type RaceDatabase } from "./race_database.ts";
import { namedBy, storageModel } from "./storage_model.ts";
import { storageSteps } from "./storage_steps.ts";

const PEOPLE = ["ola", "ben"];

Deno.test("random histories of uploads, edits, garbage collections and sweeps lose no referenced object and keep no orphan", async () => {
  await using there = await createRaceDatabase(4);
  await there
    .sql`select tests.person('ola'), tests.person('ben'), private.set_setting('max_direct_uploads_per_hour', '1000000')`;
  for (let seed = 1; seed <= byScale(4, 40); seed++) {
    const log: string[] = [];
    try {
      await runHistory(there, seed, byScale(120, 400), log);
    } catch (error) {
      console.error(`Seed ${seed}, after ${log.length} steps:\n${log.slice(-12).join("\n")}`);
      throw error;
    }
  }
});

async function runHistory(there: RaceDatabase, seed: number, length: number, log: string[]) {
  const { sql, id } = there, model = storageModel(there);
  await sql`delete from public.podcasts`;
  await sql`delete from private.media_objects`;
  await model.remove([...await model.stored()]);
  await sql`select tests.empty_queue('storage_gc')`;
  const people = new Map(await Promise.all(PEOPLE.map(async (name) => [name, await id(name)] as const)));
  const shows: string[] = [];
  for (const [n, [owner, admin]] of [["ola", "ben"], ["ben", "ola"], ["ola", "ben"]].entries()) {
    const name = `${seed}/${n}`;
    await sql`select tests.podcast(${name}, ${owner}), tests.member(${admin}, ${name}, 'admin')`;
    shows.push(await id(name));
  }

  const { steps, choose } = storageSteps(there, model, { shows, people }, randomNumbers(seed * 7919));
  for (let step = 0; step < length; step++) {
    const kind = choose();
    log.push(kind);
    const how = await steps[kind]().catch((error) => {
      if (/^PT4/.test(error.code)) return error.code;
      throw error;
    });
    log[step] += `: ${how}`;
    await model.check();
  }

  // Deletes all orphans: runs the sweeps a year later, and garbage collection to its end
  const [{ at }] = await sql`select now() + interval '1 year' as at`;
  for (let round = 0; round < 2; round++) {
    await sql`select private.sweep_storage(${at}), private.sweep_staging(${at})`;
    const paths =
      await sql`select distinct jsonb_array_elements_text(message -> 'paths') as path from pgmq.q_storage_gc`;
    await model.remove(await model.take(paths.map(({ path }) => path)));
  }
  model.temporaries.clear();
  await model.check();
  const stored = await model.stored(), named = namedBy(await model.columns());
  deepEqual([...stored].filter((path) => !named.has(path)), [], "left although no column references it");
}
