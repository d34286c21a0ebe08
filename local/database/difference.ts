// What must change in one database so that it becomes like another, as @supabase/pg-delta plans it.
import {
  type IntegrationProfile,
  isDestructiveAction,
  type Plan,
  plan,
  renderPlanFiles,
  resolveProfile,
  supabasePolicy,
} from "@supabase/pg-delta";
import { formatSqlStatements } from "@supabase/pg-delta/sql-format";
// @ts-types="./pg.d.ts"
import pg from "pg";

export interface Difference {
  /** The statements, in files of which each must be committed before the next (a new enum value must be, before use). */
  steps: string[];
  /** The statements that take away what someone may miss, and which nothing in the plan puts back. */
  drops: string[];
}

// Supabase's own profile without its pg_cron handler, because private.install() writes the cron jobs; without the functions
// that private.install() generates (private.call_*); and without the comments of extensions, which the platform owns.
const profile: IntegrationProfile = {
  id: "castbase",
  handlers: [],
  policy: {
    ...supabasePolicy,
    filter: [
      { match: { all: [{ kind: "comment" }, { target: { kind: "extension" } }] }, action: "exclude" },
      { match: { all: [{ kind: "function" }, { schema: "private" }, { name: "call_*" }] }, action: "exclude" },
      { match: { target: { kind: "function", schema: "private", name: "call_*" } }, action: "exclude" },
      ...supabasePolicy.filter ?? [],
    ],
  },
};

/** Plans the way from `from` to `to`; undefined when the planner sees nothing to do. */
export async function planDifference(from: string, to: string): Promise<Difference | undefined> {
  const pools = [from, to].map((connectionString) => new pg.Pool({ connectionString, max: 5 }));
  try {
    const resolved = await resolveProfile(pools[0], profile);
    const [source, desired] = await Promise.all(pools.map((pool) => resolved.extract(pool)));
    const planned = plan(source.factBase, desired.factBase, {
      ...resolved.planOptions,
      scope: "database", // roles belong to the cluster
      defaultOwner: "postgres",
    });
    if (planned.actions.length === 0) return undefined;
    const rebuilt = new Set(planned.actions.flatMap((action) => action.produces.map((id) => JSON.stringify(id))));
    const drops = planned.actions.filter((action) =>
      action.dataLoss === "destructive" || isDestructiveAction(action) && isMissed(action.sql) &&
        !action.destroys.some((id) => rebuilt.has(JSON.stringify(id)))
    );
    for (const action of planned.actions) action.sql = readable(action.sql);
    return { steps: inSteps(planned), drops: drops.map((action) => action.sql) };
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

/** Whether someone may miss it: data, or what a front end uses. Not an index, a policy or a helper of our own. */
function isMissed(statement: string): boolean {
  return /^(drop|alter \S+ \S+ drop)\s/i.test(statement) &&
    !/^drop (index|policy|trigger|rule|(function|view) "private")\b|drop constraint\b/i.test(statement);
}

/** New enum values go first and alone: Postgres lets nobody use one before it is committed, and the planner may. */
function inSteps(planned: Plan): string[] {
  const values = planned.actions.filter(({ sql }) => /^alter type \S+ add value /.test(sql));
  const rest = planned.actions.filter((action) => !values.includes(action));
  const files = renderPlanFiles({ ...planned, actions: rest }, { allowDrops: true }).files;
  const apart = files.find((file) => !file.transactional);
  if (apart) throw new Error(`A migration is one transaction, and this cannot be part of one:\n${apart.contents}`);
  return [
    ...values.length ? [values.map(({ sql }) => `${sql};`).join("\n")] : [],
    ...files.map((file) => file.contents),
  ];
}

/** For people to read; and an extension that the platform has already created is no error. */
function readable(statement: string): string {
  const once = statement.replace(/^CREATE EXTENSION (?!IF)/, "CREATE EXTENSION IF NOT EXISTS ");
  return formatSqlStatements([once], { keywordCase: "lower", indent: 2, maxWidth: 120, alignColumns: true })[0];
}
