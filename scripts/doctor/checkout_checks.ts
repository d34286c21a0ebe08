/** The installation beside this checkout and this machine. */
import { join } from "node:path";
import type { Finding, InstallationReport } from "../../types/health.ts";
import { root } from "../local_stack.ts";

const MAX_CLOCK_SECONDS = 30;

/** The migrations of the installation beside those of this checkout. */
export function checkMigrations({ migration }: InstallationReport): Finding {
  const versions = [...Deno.readDirSync(join(root, "supabase/migrations"))]
    .flatMap(({ name }) => name.match(/^(\d{14})_.*\.sql$/)?.[1] ?? []).sort();
  const newer = versions.filter((version) => migration === null || version > migration);
  if (migration === null) {
    return {
      check: "migrations",
      level: "warning",
      message: "The database has no record of its migrations",
      remedy: "After a restore: npx supabase migration repair --status applied, for each file",
    };
  }
  if (newer.length > 0) {
    return {
      check: "migrations",
      level: "warning",
      message: `${newer.length} migrations of this checkout are not pushed; the newest one that is: ${migration}`,
      remedy: "npm run deploy, or check out the release that is deployed",
    };
  }
  if (migration > versions.at(-1)!) {
    return {
      check: "migrations",
      level: "warning",
      message: `The database is newer than this checkout: ${migration}`,
      remedy: "Check out the release that is deployed",
    };
  }
  return { check: "migrations", level: "ok", message: `the newest is ${migration}, as in this checkout` };
}

/** The clock of the database beside this machine's. */
export function checkClock({ timestamp }: InstallationReport, now = Date.now()): Finding {
  const seconds = Math.round((Date.parse(timestamp) - now) / 1000);
  if (Math.abs(seconds) <= MAX_CLOCK_SECONDS) {
    return { check: "clock", level: "ok", message: "agrees with this machine" };
  }
  return {
    check: "clock",
    level: "warning",
    message: `The database's clock is ${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} this machine's`,
    remedy: "Synchronize this machine's clock; the platform's is kept right",
  };
}
