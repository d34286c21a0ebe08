/** The second half of npm run lint:sql: squawk's rules for migrations, on those that are newer than the last release. */
import { join } from "node:path";
import { lastRelease, newMigrations, NO_RELEASE } from "../database/release.ts";
import { runsOutsideTransactions, splitStatements } from "../database/statements.ts";
import { projectPaths, repository } from "../host/project.ts";
import { runCommand } from "./run_command.ts";

/** A concurrent index waits for older transactions. A timeout, or a second run that skips it, leaves an invalid index. */
const OUTSIDE_TRANSACTIONS = "--exclude=require-lock-timeout,require-statement-timeout,prefer-robust-stmts";

await runCommand(async () => {
  const paths = projectPaths(Deno.args[0]), { migrations } = paths;
  const release = await lastRelease(paths);
  if (!release) return console.log(NO_RELEASE);
  let code = 0;
  for (const file of await newMigrations(paths, release)) {
    const path = join(migrations, file);
    const isAlone = splitStatements(await Deno.readTextFile(path)).some(runsOutsideTransactions);
    const squawk = new Deno.Command(join(repository, "node_modules/.bin/squawk"), {
      args: [
        `--config=${join(repository, ".squawk.migrations.toml")}`,
        ...isAlone ? [OUTSIDE_TRANSACTIONS] : [], // replaces the list of the file
        path,
      ],
    });
    if (!(await squawk.spawn().status).success) code = 1;
  }
  return code;
});
