// A call through RPC and its route require the same arguments and have the same defaults.
import assert from "node:assert/strict";
import { z } from "zod";
import { routes } from "./declared_routes.ts";
import { sql } from "./harness.ts";

interface Argument {
  name: string;
  isRequired: boolean;
  /** The default as JSON; undefined if there is none. */
  defaultValue?: unknown;
}

/** Why a route differs from its function. */
const PLAYER_OPTION = "the route writes the frame's address; the function returns facts";
const EXCEPTIONS: Record<string, string> = {
  "remove_push_subscription endpoint": "the function takes an id or an endpoint, and there is a route for each",
  "get_oembed theme": PLAYER_OPTION,
  "get_oembed accent": PLAYER_OPTION,
  "get_oembed lang": PLAYER_OPTION,
  "get_oembed t": PLAYER_OPTION,
  "get_oembed format": "the route writes the format, JSON or XML; the function returns JSON",
};

/** Fields of a body that the function takes as one object, `changes`. */
const isChanges = (fields: Argument[], args: Argument[]) =>
  args.some(({ name }) => name === "changes") && !fields.some(({ name }) => args.some((arg) => arg.name === name));

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function fieldsOf(schema?: z.ZodType): Argument[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.entries(properties).map(([name, field]) => ({
    name: snakeCase(name),
    isRequired: required.includes(name),
    defaultValue: (field as { default?: unknown }).default,
  }));
}

async function functions(): Promise<Map<string, Argument[]>> {
  const rows = await sql<{ name: string; args: { name: string; expression: string | null }[] }[]>`
    select p.proname as name, coalesce(json_agg(json_build_object('name', p.proargnames[n],
      'expression', pg_get_function_arg_default(p.oid, n)) order by n) filter (where n is not null), '[]') as args
    from pg_proc p left join lateral generate_series(1, p.pronargs) n on true
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' group by p.oid`;
  const expressions = [...new Set(rows.flatMap(({ args }) => args.flatMap(({ expression }) => expression ?? [])))];
  const [values] = await sql.unsafe<Record<string, unknown>[]>(
    `select ${expressions.map((expression, n) => `to_jsonb(${expression}) as "${n}"`)}`,
  );
  return new Map(rows.map(({ name, args }) => [
    name,
    args.map(({ name, expression }) => ({
      name,
      isRequired: expression === null,
      defaultValue: expression === null ? undefined : values[expressions.indexOf(expression)],
    })),
  ]));
}

/** `id` is `episode_id`, and `podcast` is `podcast_slug`. */
const isRenamed = (field: string, arg: string) => arg.endsWith(`_${field}`) || arg.startsWith(`${field}_`);

Deno.test("a route requires what its function requires, and both have the same defaults", async () => {
  const known = await functions(), problems: string[] = [], compared: string[] = [];
  for (const { operationId, param, query, json } of routes) {
    const operation = snakeCase(operationId ?? ""), args = known.get(operation);
    if (!args) continue;
    const body = fieldsOf(json), fields = [...fieldsOf(param), ...fieldsOf(query)];
    if (isChanges(body, args)) fields.push({ name: "changes", isRequired: body.some((field) => field.isRequired) });
    else fields.push(...body);
    const unused = new Set(args);
    for (const field of fields) {
      const arg: Argument | undefined = args.find(({ name }) => name === field.name) ??
        [...unused].find(({ name }) => isRenamed(field.name, name) && !fields.some((other) => other.name === name));
      if (!arg) {
        problems.push(`${operation} ${field.name}: no argument of the function`);
        continue;
      }
      unused.delete(arg);
      compared.push(operation);
      if (field.name === "changes") continue; // each of its fields is optional
      if (arg.isRequired !== field.isRequired) {
        problems.push(`${operation} ${field.name}: required only ${arg.isRequired ? "through RPC" : "by the route"}`);
      } else if (field.defaultValue !== undefined) { // without one, an absent field keeps the function's default
        try {
          assert.deepEqual(field.defaultValue, arg.defaultValue);
        } catch {
          const [byRoute, byFunction] = [field.defaultValue, arg.defaultValue].map((value) => JSON.stringify(value));
          problems.push(`${operation} ${field.name}: ${byRoute} by the route, ${byFunction} through RPC`);
        }
      }
    }
    for (const { name, isRequired } of unused) {
      if (isRequired) problems.push(`${operation} ${name}: the route has no such field`);
    }
  }
  assert.ok(new Set(compared).size > 60, `${new Set(compared).size} operations`);
  assert.deepEqual(problems.map((problem) => problem.split(":")[0]), Object.keys(EXCEPTIONS), problems.join("\n"));
});
