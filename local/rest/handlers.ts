// Reads, writes and calls: each plans a statement, runs it in a transaction and creates the response.
import { type CallArguments, callSql, namesOf } from "./call.ts";
import { closest } from "./closest.ts";
import type { RestConfig } from "./config.ts";
import { RequestError } from "./errors.ts";
import { findRoutine } from "./find_routine.ts";
import { type MediaType, negotiate } from "./media_type.ts";
import { contentRange, pagePlace, requestedPage } from "./page.ts";
import { bodyType, formPairs, readPayload } from "./payload.ts";
import { parsePreferences, preferenceApplied, type Preferences, rejectInvalid } from "./preferences.ts";
import { parseQuery, type QueryParams } from "./query/params.ts";
import { columnsOfCall, columnsToReturn, planRead } from "./read_plan.ts";
import { createResponse, requireRowCount, VARY } from "./response.ts";
import type { Name, Sql } from "./sql.ts";
import {
  callStatement,
  emptyResult,
  explain,
  explainCount,
  readStatement,
  type Result,
  writeStatement,
} from "./statement.ts";
import { type createPool, inTransaction, type RequestScope, type Run, type TransactionOptions } from "./transaction.ts";
import { deleteSql, insertSql, putSql, updateSql, type Write } from "./write_sql.ts";
import { findTable, type Routine, type SchemaCache, type Table } from "./catalog.ts";
import type { ReadNode } from "./read_node.ts";

interface Context {
  scope: RequestScope;
  cache: SchemaCache;
  pool: ReturnType<typeof createPool>;
  config: RestConfig;
}

interface ParsedRequest {
  query: QueryParams;
  preferences: Preferences;
}

const writeMethods = ["POST", "PATCH", "PUT", "DELETE"] as const;
const isRead = (method: string) => method === "GET" || method === "HEAD";
const isWrite = (method: string): method is WriteMethod => writeMethods.includes(method as WriteMethod);

function parseRequest({ scope: { request }, config }: Context, isCalledByGet: boolean): ParsedRequest {
  const query = parseQuery(givenParameters(new URL(request.url)), isCalledByGet);
  const page = requestedPage(request, query);
  query.pages = [...query.pages.filter(({ path }) => path.length), { path: [], value: page }];
  return { query, preferences: parsePreferences(request.headers.get("prefer"), config.transactionEnd.allowsOverride) };
}

/** The parameters with a value. PostgREST ignores a name without "=", and separates by ";", too. */
const givenParameters = ({ search }: URL) =>
  new URLSearchParams(search.slice(1).split(/[&;]/).filter((part) => part.includes("=")).join("&"));

/** The form of the response, which PostgREST checks after the plan. */
function mediaOf({ scope, cache, config }: Context, table: Name, node: ReadNode): MediaType {
  const [first, ...others] = node.fields;
  return negotiate(scope.request.headers.get("accept"), {
    table,
    handlers: cache.mediaHandlers,
    selectsAll: first?.field.name === "*" && !others.length && !node.embeds.length,
    allowsPlans: config.allowsPlans,
  });
}

const isCounted = ({ count }: Preferences) => count === "exact" || count === "estimated";

function inTurn<T>(
  { pool, scope, cache, config }: Context,
  { timezone, tx }: Preferences,
  options: Partial<TransactionOptions>,
  run: (run: Run) => Promise<T>,
) {
  const roleSettings = cache.roleSettings.get(scope.caller.role) ?? [];
  const { extraSearchPath, preRequest, transactionEnd } = config;
  const isRolledBack = tx === "rollback" || transactionEnd.isRollback && tx !== "commit";
  const all = { isReadOnly: false, roleSettings, timezone, extraSearchPath, preRequest, isRolledBack, ...options };
  return inTransaction(pool, scope, all, run);
}

/** Runs a statement, or returns its plan as response. */
async function runOrExplain(
  run: Run,
  statement: Sql,
  media: MediaType,
  scope: RequestScope,
): Promise<Result | Response> {
  if (!media.plan) return (await run<Result>(statement))[0];
  const lines = await run<{ "QUERY PLAN": string }>(explain(statement, media.plan));
  const result = { ...emptyResult, body: lines.map((line) => `${line["QUERY PLAN"]}\n`).join("") };
  return createResponse(result, { status: 200, headers: {}, media, hasBody: true }, scope);
}

export async function handleTable(context: Context, name: string): Promise<Response> {
  const { scope: { request: { method }, schema }, cache } = context;
  if (!isRead(method) && !isWrite(method) && method !== "OPTIONS") {
    throw new RequestError(405, { code: "PGRST117", message: `Unsupported HTTP method: ${method}` });
  }
  const parsed = parseRequest(context, false);
  const table = findTable(cache, { schema, name });
  if (!table) throw unknownTable(cache, schema, name);
  if (isRead(method)) return await read(context, table, parsed);
  return isWrite(method) ? await write(context, table, method, parsed) : describe(methodsOf(table));
}

/** The methods of a table or view, without regard to the caller's grants. */
function methodsOf({ isInsertable, isUpdatable, isDeletable, primaryKey }: Table): string[] {
  return [
    ...isInsertable ? ["POST"] : [],
    ...isInsertable && isUpdatable && primaryKey.length ? ["PUT"] : [],
    ...isUpdatable ? ["PATCH"] : [],
    ...isDeletable ? ["DELETE"] : [],
  ];
}

/** The response to OPTIONS. Without the headers of a preflight it reaches PostgREST. */
const describe = (writes: string[], reads = ["GET", "HEAD"]) =>
  new Response(null, {
    headers: { allow: ["OPTIONS", ...reads, ...writes].join(","), "content-length": "0", vary: VARY },
  });

function unknownTable({ tables }: SchemaCache, schema: string, name: string): RequestError {
  const names = tables.filter((table) => table.schema === schema).map((table) => table.name);
  const near = names.length < 500 ? closest(name, names, 0.75) : undefined; // as PostgREST, which indexes names
  return new RequestError(404, {
    code: "PGRST205",
    message: `Could not find the table '${schema}.${name}' in the schema cache`,
    hint: near ? `Perhaps you meant the table '${schema}.${near}'` : null,
  });
}

async function read(context: Context, table: Table, { query, preferences }: ParsedRequest): Promise<Response> {
  const { scope, cache, config: { maxRows, allowsAggregates } } = context;
  const hasBody = scope.request.method === "GET";
  const node = planRead(table, query, cache, { isFromSource: false, isWrite: false, maxRows, allowsAggregates });
  const media = mediaOf(context, table, node);
  rejectInvalid(preferences);
  const countLimit = preferences.count === "estimated" && maxRows !== undefined ? maxRows + 1 : undefined;
  return await inTurn(context, preferences, { isReadOnly: true }, async (run) => {
    const form = { media, hasBody, counts: isCounted(preferences), countLimit };
    const result = await runOrExplain(run, readStatement(node, cache, form), media, scope);
    if (result instanceof Response) return result;
    requireRowCount(media, preferences, [], Number(result.rows));
    const total = await totalOf(run, node, context, preferences, result);
    const place = pagePlace(node.offset, Number(result.rows), total);
    const headers = {
      "content-range": place.range,
      "content-location": `/${table.name}${canonicalQuery(new URL(scope.request.url).searchParams)}`,
      "preference-applied": preferenceApplied(preferences, []),
    };
    const body = place.body ?? result.body;
    return createResponse({ ...result, body }, { status: place.status, headers, media, hasBody }, scope);
  });
}

/** The parameters in the order of their names. Values of the same name become a list. */
function canonicalQuery(search: URLSearchParams): string {
  const names = [...new Set(search.keys())].sort();
  return names.map((name, i) =>
    `${i ? "&" : "?"}${percentEncode(name)}=${search.getAll(name).map((value) => percentEncode(value)).join(",")}`
  ).join("");
}

const percentEncode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** `planned` is the planner's estimate; `estimated` is exact up to the longest page, then an estimate. */
async function totalOf(
  run: Run,
  node: ReadNode,
  { cache, config: { maxRows } }: Context,
  { count }: Preferences,
  { total }: Result,
) {
  const exact = total === null ? null : Number(total);
  const isPlanned = count === "planned" || count === "estimated" && (maxRows === undefined || exact! > maxRows);
  if (!isPlanned) return exact;
  const [{ "QUERY PLAN": plan }] = await run<{ "QUERY PLAN": string }>(explainCount(node, cache));
  return Math.max(exact ?? 0, JSON.parse(plan)[0].Plan["Plan Rows"]);
}

type WriteMethod = typeof writeMethods[number];

async function write(
  context: Context,
  table: Table,
  method: WriteMethod,
  { query, preferences }: ParsedRequest,
): Promise<Response> {
  const { scope, cache, config: { allowsAggregates } } = context;
  const { request } = scope;
  if (method === "PUT" && query.pages.some(({ value }) => value.limit !== undefined || value.offset)) {
    const message = "limit/offset querystring parameters are not allowed for PUT";
    throw new RequestError(400, { code: "PGRST114", message });
  }
  const node = planRead(table, query, cache, { isFromSource: true, isWrite: true, allowsAggregates });
  const hasBody = preferences.return === "representation";
  const locates = method === "POST" && preferences.return === "headers-only" ? table.primaryKey : [];
  const returned = hasBody || preferences.return === "headers-only" ? columnsToReturn(node, table.primaryKey) : [];
  const change: Write = { table, query, preferences, returned, cache };
  const payload = method === "DELETE" ? undefined : await readPayload(request, false, query.columns);
  const statement = method === "POST"
    ? insertSql(change, payload!)
    : method === "PATCH"
    ? updateSql(change, payload!)
    : method === "PUT"
    ? putSql(change, payload!)
    : deleteSql(change);
  rejectInvalid(preferences);
  const media = mediaOf(context, table, node);
  return await inTurn(context, preferences, {}, async (run) => {
    const full = writeStatement(statement, node, cache, { media, hasBody, counts: false }, locates);
    const result = await runOrExplain(run, full, media, scope);
    if (result instanceof Response) return result;
    const rows = Number(result.rows);
    if (method === "PUT" && rows !== 1) {
      const message = "Payload values do not match URL in primary key column(s)";
      throw new RequestError(400, { code: "PGRST115", message });
    }
    const kinds = kindsOf(method, table, query);
    requireRowCount(media, preferences, kinds, rows);
    const inserted = Number(result.inserted ?? 0) > 0;
    const merges = preferences.resolution === "merge-duplicates";
    const status = method === "POST"
      ? merges && !inserted ? 200 : 201
      : !hasBody
      ? 204
      : method === "PUT" && inserted
      ? 201
      : 200;
    const total = isCounted(preferences) ? rows : null;
    const headers = {
      "content-range": method === "PUT"
        ? undefined
        : method === "PATCH"
        ? contentRange(0, rows - 1, total)
        : contentRange(1, 0, total),
      location: result.location ? `/${table.name}?${new URLSearchParams(result.location.map(splitPair))}` : undefined,
      "preference-applied": preferenceApplied(preferences, kinds),
    };
    return createResponse(result, { status, headers, media: hasBody ? media : undefined, hasBody }, scope);
  });
}

/** The preferences that apply to a write. */
function kindsOf(method: WriteMethod, { primaryKey }: Table, { onConflict }: QueryParams) {
  const hasConflictTarget = primaryKey.length > 0 || onConflict !== undefined;
  return [
    ...method === "POST" && hasConflictTarget ? ["resolution" as const] : [],
    ...method === "POST" || method === "PATCH" ? ["missing" as const] : [],
    "return" as const,
    ...method === "PATCH" || method === "DELETE" ? ["maxAffected" as const] : [],
  ];
}

const splitPair = (pair: string): [string, string] => {
  const at = pair.indexOf("=");
  return [pair.slice(0, at), pair.slice(at + 1)];
};

export async function handleCall(context: Context, name: string): Promise<Response> {
  const { scope, cache, config: { maxRows, allowsAggregates } } = context;
  const { request, schema } = scope;
  const { method } = request;
  if (!isRead(method) && method !== "POST" && method !== "OPTIONS") {
    throw new RequestError(405, { code: "PGRST101", message: `Cannot use the ${method} method on RPC` });
  }
  const { query, preferences } = parseRequest(context, isRead(method));
  const args = await readArguments(request, query);
  const routine = findRoutine(cache.routines, {
    name: { schema, name },
    given: namesOf(args),
    bodyType: method === "POST" ? bodyType(request) : undefined,
  });
  const table = { schema, name: routine.isComposite ? routine.returnType : name };
  const node = planRead(table, query, cache, { isFromSource: true, isWrite: false, maxRows, allowsAggregates });
  const media = mediaOf(context, table, node);
  rejectInvalid(preferences);
  rejectMaxAffectedOfOne(preferences, routine);
  if (method === "OPTIONS") return describe(["POST"], routine.isVolatile ? [] : undefined);
  const hasBody = method !== "HEAD";
  const options = { isReadOnly: isRead(method) || !routine.isVolatile, statementTimeout: routine.timeout };
  return await inTurn(context, preferences, options, async (run) => {
    const form = { media, hasBody, counts: isCounted(preferences) };
    const call = callSql(routine, args, columnsOfCall(node));
    const result = await runOrExplain(run, callStatement(call, routine, node, cache, form), media, scope);
    if (result instanceof Response) return result;
    requireRowCount(media, preferences, ["maxAffected"], Number(result.rows));
    const place = pagePlace(node.offset, Number(result.rows), result.total === null ? null : Number(result.total));
    const applied = preferenceApplied(preferences, ["maxAffected"]);
    const headers = { "content-range": place.range, "preference-applied": applied };
    const body = place.body ?? result.body;
    return routine.isVoid
      ? createResponse(result, { status: 204, headers, hasBody: false }, scope)
      : createResponse({ ...result, body }, { status: place.status, headers, media, hasBody }, scope);
  });
}

async function readArguments(request: Request, query: QueryParams): Promise<CallArguments> {
  if (request.method !== "POST") return { kind: "query", pairs: query.args };
  if (bodyType(request) === "application/x-www-form-urlencoded") {
    return { kind: "query", pairs: formPairs(await request.text()) };
  }
  return { kind: "payload", payload: await readPayload(request, true, query.columns) };
}

function rejectMaxAffectedOfOne({ maxAffected }: Preferences, { isSet }: Routine) {
  if (isSet || maxAffected === undefined) return;
  throw new RequestError(400, {
    code: "PGRST128",
    message: "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
  });
}
