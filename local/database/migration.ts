// sql/ is where the database is described; this writes the migration that brings every project there.
import { join } from "node:path";
import type postgres from "postgres";
import { CannotStart } from "../cannot_start.ts";
import { planDifference } from "./difference.ts";
import { planGaps } from "./gaps.ts";
import { buildBoth, type Sources, whatDiffers } from "./sources.ts";
import { connected, type Scratch, startScratch } from "./scratch.ts";

/** Why no migration was written, in a sentence for who asked for it. */
export class MigrationRefused extends CannotStart {}

/**
 * Writes what sql/ has and the migrations lack as supabase/migrations/<timestamp>_<name>.sql, after having run it and
 * compared the result with sql/. Answers the files; none when there is nothing to do. A second file only follows where
 * Postgres needs a commit in between.
 */
export async function writeMigration(
  sources: Sources,
  { name, allowDrops = false, at = new Date() }: { name: string; allowDrops?: boolean; at?: Date },
): Promise<string[]> {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new MigrationRefused(
      `A migration is named in lower case with underscores, as in add_episodes; not "${name}".`,
    );
  }
  await using scratch = await startScratch();
  const { migrated, declared } = await buildBoth(scratch, sources);
  const difference = await planDifference(migrated, declared);
  if (difference?.drops.length && !allowDrops) {
    throw new MigrationRefused(
      `This would take away what may hold data or be in use:\n${
        list(difference.drops)
      }\nIf that is meant: npm run db:migration NAME -- --allow-drops`,
    );
  }
  const steps = await composeSteps(scratch, difference?.steps ?? [], declared);
  await connected(migrated, (sql) => runAll(sql, steps));
  const left = await whatDiffers(migrated, declared);
  if (left.length) {
    throw new MigrationRefused(
      `No migration can be made of this; what a diff does not carry belongs into private.install():\n${list(left)}`,
    );
  }
  const files = steps.map((step, index) => ({
    path: join(sources.migrations, `${timestamp(at, index)}_${name}${steps.length > 1 ? `_${index + 1}` : ""}.sql`),
    step,
  }));
  for (const { path, step } of files) await Deno.writeTextFile(path, step, { createNew: true });
  return files.map(({ path }) => path);
}

/** The files' text. The planner's steps are run once on a copy, to see what they leave to be said. */
async function composeSteps(scratch: Scratch, planned: string[], declared: string): Promise<string[]> {
  const trial = await scratch.create("trial", "migrated");
  await connected(trial, (sql) => runAll(sql, planned));
  const gaps = await planGaps(trial, declared);
  if (planned.length === 0 && gaps.length === 0) return [];
  const steps = planned.length ? planned : [""];
  return steps.map((step, index) =>
    index === steps.length - 1 ? `${compose([step, ...gaps])}\nselect private.install();\n` : compose([step])
  );
}

async function runAll(sql: postgres.Sql, steps: string[]) {
  for (const step of steps) await sql.begin((transaction) => transaction.unsafe(step).simple());
}

/** Function bodies may name what a later statement makes; the runner's own session gets its setting back. */
function compose(statements: string[]): string {
  const text = statements.join("\n\n").trim().replace(
    /^set local check_function_bodies = off;/,
    "set check_function_bodies = off;",
  );
  const reset = text.startsWith("set check_function_bodies") ? "\n\nreset check_function_bodies;" : "";
  return `-- Written by npm run db:migration from sql/: change it there.\n${text}${reset}\n`;
}

/** Each file its own second, in their order. */
function timestamp(at: Date, seconds: number): string {
  return new Date(at.getTime() + seconds * 1000).toISOString().replace(/\D/g, "").slice(0, 14);
}

const list = (lines: string[]) => lines.map((line) => `- ${line}`).join("\n");
