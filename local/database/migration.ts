// sql/ is where the database is described; this writes the migration that brings every project there.
import { join } from "node:path";
import { planDifference } from "./difference.ts";
import { buildBoth, type Project, whatDiffers } from "./project.ts";
import { connected, startScratch } from "./scratch.ts";

/** Why no migration was written, in a sentence for who asked for it. */
export class MigrationRefused extends Error {}

/**
 * Writes what sql/ has and the migrations lack as supabase/migrations/<timestamp>_<name>.sql, after having run it and
 * compared the result with sql/. Answers the files; none when there is nothing to do. A second file only follows where
 * Postgres needs a commit in between.
 */
export async function writeMigration(
  project: Project,
  { name, allowDrops = false, at = new Date() }: { name: string; allowDrops?: boolean; at?: Date },
): Promise<string[]> {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new MigrationRefused(
      `A migration is named in lower case with underscores, as in add_episodes; not "${name}".`,
    );
  }
  await using scratch = await startScratch();
  const { migrated, declared } = await buildBoth(scratch, project);
  const difference = await planDifference(migrated, declared);
  if (difference?.drops.length && !allowDrops) {
    throw new MigrationRefused(
      `This would take away what may hold data:\n${
        list(difference.drops)
      }\nIf that is meant: npm run db:migration NAME -- --allow-drops`,
    );
  }
  const steps = (difference?.steps ?? []).map((step, index, all) => compose(step, index === all.length - 1));
  await connected(migrated, async (sql) => {
    for (const step of steps) await sql.begin((transaction) => transaction.unsafe(step).simple());
  });
  const left = await whatDiffers(migrated, declared);
  if (left.length) {
    throw new MigrationRefused(
      `No migration can be made of this; what a diff does not carry belongs into private.install():\n${list(left)}`,
    );
  }
  const files = steps.map((step, index) => ({
    path: join(project.migrations, `${timestamp(at, index)}_${name}${steps.length > 1 ? `_${index + 1}` : ""}.sql`),
    step,
  }));
  for (const { path, step } of files) await Deno.writeTextFile(path, step, { createNew: true });
  return files.map(({ path }) => path);
}

/** Function bodies may name what a later statement makes; the runner's own session gets its setting back. */
function compose(step: string, last: boolean): string {
  const statements = step.replace(/^set local (check_function_bodies) = off;\n/m, "set $1 = off;\n").trimEnd();
  const reset = statements.startsWith("set check_function_bodies") ? "\n\nreset check_function_bodies;" : "";
  return `-- Written by npm run db:migration from sql/: change it there.\n${statements}${reset}\n${
    last ? "\nselect private.install();\n" : ""
  }`;
}

/** Each file its own second, in their order. */
function timestamp(at: Date, seconds: number): string {
  return new Date(at.getTime() + seconds * 1000).toISOString().replace(/\D/g, "").slice(0, 14);
}

const list = (lines: string[]) => lines.map((line) => `- ${line}`).join("\n");
