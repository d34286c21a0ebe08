// The statements that turn one database into another, planned by @supabase/pg-delta.
import {
  type IntegrationProfile,
  isDestructiveAction,
  type Plan,
  plan,
  type PlanOptions,
  renderPlanFiles,
  resolveProfile,
  supabasePolicy,
} from "@supabase/pg-delta";
import { formatSqlStatements } from "@supabase/pg-delta/sql-format";
// @ts-types="./pg.d.ts"
import pg from "pg";

interface Difference {
  /** The statements in steps. Each step must be committed before the next: a new enum value cannot be used before. */
  steps: string[];
  /** What works on whole tables while they are in use, each in a file of its own: validations, and then indexes. */
  later: string[];
  /** The statements that drop what may hold data or be in use, and that the plan does not recreate. */
  drops: string[];
}

/** The functions of `private` that private.install() generates. */
const GENERATED = ["call_*", "claim_from_*"];

// Supabase's profile without its handler of pg_cron, because private.install() writes cron jobs; without the functions that
// private.install() generates (GENERATED); and without comments on extensions, which the platform owns.
const profile: IntegrationProfile = {
  id: "local",
  handlers: [],
  policy: {
    ...supabasePolicy,
    filter: [
      { match: { all: [{ kind: "comment" }, { target: { kind: "extension" } }] }, action: "exclude" },
      { match: { all: [{ kind: "function" }, { schema: "private" }, { name: GENERATED }] }, action: "exclude" },
      { match: { target: { kind: "function", schema: "private", name: GENERATED } }, action: "exclude" },
      ...supabasePolicy.filter ?? [],
    ],
  },
};

/**
 * Plans the change from `from` to `to`; undefined if there is nothing to change. After a release, its back end uses the
 * functions `inUse` of schema `private`, and the tables.
 */
export async function planDifference(from: string, to: string, inUse?: string[]): Promise<Difference | undefined> {
  const { forth } = await readBoth(from, to), planned = forth();
  if (planned.actions.length === 0) return undefined;
  const rebuilt = new Set(planned.actions.flatMap((action) => action.produces.map((id) => JSON.stringify(id))));
  const drops = planned.actions.filter((action) =>
    action.dataLoss === "destructive" || isDestructiveAction(action) && isInUse(action.sql, inUse) &&
      !action.destroys.some((id) => rebuilt.has(JSON.stringify(id)))
  );
  for (const action of planned.actions) action.sql = format(action.sql);
  const later = inUse ? postpone(planned) : [];
  return { steps: splitIntoSteps(planned), later, drops: drops.map((action) => action.sql) };
}

const CONSTRAINT = /^(alter table (?:only )?(\S+))\s+add constraint (\S+) (?:check|foreign key)\b/;
const INDEX = /^create (?:unique )?index \S+ on (?:only )?(\S+)/;

/**
 * Takes out of a plan what would read tables that exist already while it locks them: their new constraints become not
 * valid, and their indexes are left out. Returns the statements that complete both.
 */
function postpone(planned: Plan): string[] {
  const created = planned.actions.flatMap(({ sql }) => unquoted(/^create table (\S+)/.exec(sql)?.[1]));
  const exists = (table?: string) => table !== undefined && !created.includes(unquoted(table));
  const validations = planned.actions.flatMap((action) => {
    const [, alterTable, table, name] = CONSTRAINT.exec(action.sql) ?? [];
    if (!exists(table) || / not valid$/.test(action.sql)) return [];
    action.sql += " not valid";
    return `${alterTable} validate constraint ${name}`;
  });
  const indexes = planned.actions.filter(({ sql }) => exists(INDEX.exec(sql)?.[1]));
  planned.actions = planned.actions.filter((action) => !indexes.includes(action));
  return [
    ...validations,
    ...indexes.map(({ sql }) => sql.replace(/^(create (?:unique )?index)/, "$1 concurrently")),
  ].map((statement) => `${statement};`);
}

const unquoted = (name = "") => name.replaceAll('"', "");

/** The statements that turn each of two databases into the other. */
export async function planBothWays(one: string, other: string): Promise<string[]> {
  const { forth, back } = await readBoth(one, other);
  return [forth(), back()].flatMap(({ actions }) => actions.map(({ sql }) => format(sql)));
}

/** Reads two databases, and returns the planners of the change of the first into the second, and back. */
async function readBoth(from: string, to: string) {
  const pools = [from, to].map((connectionString) => new pg.Pool({ connectionString, max: 5 }));
  try {
    const resolved = await resolveProfile(pools[0], profile);
    const [first, second] = await Promise.all(pools.map((pool) => resolved.extract(pool)));
    const options: PlanOptions = {
      ...resolved.planOptions,
      scope: "database", // roles belong to the cluster
      defaultOwner: "postgres",
    };
    return {
      forth: () => plan(first.factBase, second.factBase, options),
      back: () => plan(second.factBase, first.factBase, options),
    };
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

/** Whether the statement drops data or part of the interface, not an index, a policy or a private helper. */
function isInUse(statement: string, functions: string[] = []): boolean {
  const called = /^drop function "?private"?\."?(\w+)/i.exec(statement)?.[1] ?? "";
  return functions.includes(called) || /^(drop|alter \S+ \S+ drop)\s/i.test(statement) &&
      !/^drop (index|policy|trigger|rule)\b|^drop (function|view) "private"\.|drop constraint\b/i.test(statement);
}

/** Puts new enum values into a first step: Postgres rejects their use before the commit, which the planner ignores. */
function splitIntoSteps(planned: Plan): string[] {
  const values = planned.actions.filter(({ sql }) => /^alter type \S+ add value /.test(sql));
  const rest = planned.actions.filter((action) => !values.includes(action));
  const files = renderPlanFiles({ ...planned, actions: rest }, { allowDrops: true }).files;
  const nontransactional = files.find((file) => !file.transactional);
  if (nontransactional) {
    throw new Error(`This statement cannot run inside a transaction:\n${nontransactional.contents}`);
  }
  return [
    ...values.length ? [values.map(({ sql }) => `${sql};`).join("\n")] : [],
    ...files.map((file) => file.contents),
  ];
}

/** Formats a statement for review, and lets it pass if the platform has already created its extension. */
function format(statement: string): string {
  const once = statement.replace(/^CREATE EXTENSION (?!IF)/, "CREATE EXTENSION IF NOT EXISTS ");
  return formatSqlStatements([once], { keywordCase: "lower", indent: 2, maxWidth: 120, alignColumns: true })[0];
}
