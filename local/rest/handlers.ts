// Reads, writes and calls: each plans a statement, runs it in a transaction and creates the response.
import { type CallArguments, callSql, namesOf } from "./call.ts";
import { closest } from "./closest.ts";
import { RequestError } from "./errors.ts";
import { findRoutine } from "./find_routine.ts";
import { type MediaType, negotiate } from "./media_type.ts";
import { contentRange, pagePlace, requestedPage } from "./page.ts";
import { bodyType, readPayload } from "./payload.ts";
import { parsePreferences, preferenceApplied, type Preferences } from "./preferences.ts";
import { parseQuery, type QueryParams } from "./query/params.ts";
import { columnsOfCall, columnsToReturn, planRead, type ReadNode } from "./read_plan.ts";
import { createResponse, requireRowCount } from "./response.ts";
import type { Routine, SchemaCache, Table } from "./schema_cache.ts";
import { callStatement, explainCount, readStatement, type Result, writeStatement } from "./statement.ts";
import { type createPool, inTransaction, type RequestScope, type Run, type TransactionOptions } from "./transaction.ts";
import { deleteSql, insertSql, putSql, updateSql, type Write } from "./write_sql.ts";

export interface Context {
  scope: RequestScope;
  cache: SchemaCache;
  pool: ReturnType<typeof createPool>;
  maxRows: number;
}

interface ParsedRequest {
  query: QueryParams;
  preferences: Preferences;
  media: MediaType;
}

const isRead = (method: string) => method === "GET" || method === "HEAD";

function parseRequest({ request }: RequestScope, isCalledByGet: boolean): ParsedRequest {
  const query = parseQuery(new URL(request.url).searchParams, isCalledByGet);
  const page = requestedPage(request, query);
  query.pages = [...query.pages.filter(({ path }) => path.length), { path: [], value: page }];
  const preferences = parsePreferences(request.headers.get("prefer"));
  return { query, preferences, media: negotiate(request.headers.get("accept")) };
}

function inTurn<T>(
  { pool, scope, cache }: Context,
  preferences: Preferences,
  options: Partial<TransactionOptions>,
  run: (run: Run) => Promise<T>,
) {
  const roleSettings = cache.roleSettings.get(scope.caller.role) ?? [];
  return inTransaction(
    pool,
    scope,
    { isReadOnly: false, roleSettings, timezone: preferences.timezone, ...options },
    run,
  );
}

export async function handleTable(context: Context, name: string): Promise<Response> {
  const { scope: { request, schema }, cache } = context;
  const table = cache.tables.find((table) => table.name === name && table.schema === schema);
  if (!table) throw unknownTable(cache, schema, name);
  switch (request.method) {
    case "GET":
    case "HEAD":
      return await read(context, table);
    case "POST":
    case "PATCH":
    case "PUT":
    case "DELETE":
      return await write(context, table, request.method);
    default:
      throw new RequestError(405, { code: "PGRST117", message: `Unsupported HTTP method: ${request.method}` });
  }
}

function unknownTable({ tables }: SchemaCache, schema: string, name: string): RequestError {
  const names = tables.filter((table) => table.schema === schema).map((table) => table.name);
  const near = names.length < 500 ? closest(name, names, 0.75) : undefined; // as PostgREST, which indexes names
  return new RequestError(404, {
    code: "PGRST205",
    message: `Could not find the table '${schema}.${name}' in the schema cache`,
    hint: near ? `Perhaps you meant the table '${schema}.${near}'` : null,
  });
}

async function read(context: Context, table: Table): Promise<Response> {
  const { scope, cache, maxRows } = context;
  const { query, preferences, media } = parseRequest(scope, false);
  const hasBody = scope.request.method === "GET";
  const node = planRead(table, query, cache, { isFromSource: false, isWrite: false, maxRows });
  const counts = preferences.count === "exact" || preferences.count === "estimated";
  return await inTurn(context, preferences, { isReadOnly: true }, async (run) => {
    const [result] = await run<Result>(readStatement(node, cache, { media, hasBody, counts }));
    requireRowCount(media, {}, Number(result.rows));
    const total = await totalOf(run, node, context, preferences, result);
    const { status, range } = pagePlace(node.offset, Number(result.rows), total);
    const headers = {
      "content-range": range,
      "content-location": `/${table.name}${new URL(scope.request.url).search}`,
      "preference-applied": preferenceApplied(preferences, ["count"]),
    };
    return createResponse(result, { status, headers, media, hasBody }, scope.schema);
  });
}

/** `planned` is the planner's estimate; `estimated` is exact up to the longest page, then an estimate. */
async function totalOf(
  run: Run,
  node: ReadNode,
  { cache, maxRows }: Context,
  { count }: Preferences,
  { total }: Result,
) {
  const exact = total === null ? null : Number(total);
  if (count !== "planned" && (count !== "estimated" || exact! <= maxRows)) return exact;
  const [{ "QUERY PLAN": plan }] = await run<{ "QUERY PLAN": string }>(explainCount(node, cache));
  return Math.max(exact ?? 0, JSON.parse(plan)[0].Plan["Plan Rows"]);
}

async function write(context: Context, table: Table, method: "POST" | "PATCH" | "PUT" | "DELETE"): Promise<Response> {
  const { scope, cache } = context;
  const { query, preferences, media } = parseRequest(scope, false);
  const { request } = scope;
  if (method === "PUT" && query.pages.some(({ value }) => value.limit !== undefined || value.offset)) {
    const message = "limit/offset querystring parameters are not allowed for PUT";
    throw new RequestError(400, { code: "PGRST114", message });
  }
  const node = planRead(table, query, cache, { isFromSource: true, isWrite: true });
  const hasBody = preferences.return === "representation";
  const locates = method === "POST" && preferences.return === "headers-only" ? table.primaryKey : [];
  const returned = hasBody ? columnsToReturn(node, table.primaryKey) : locates;
  const change: Write = { table, query, preferences, returned, cache };
  const payload = method === "DELETE" ? undefined : await readPayload(request, false, query.columns);
  const statement = method === "POST"
    ? insertSql(change, payload!)
    : method === "PATCH"
    ? updateSql(change, payload!)
    : method === "PUT"
    ? putSql(change, payload!)
    : deleteSql(change);
  return await inTurn(context, preferences, {}, async (run) => {
    const full = writeStatement(statement, node, cache, { media, hasBody, counts: false }, locates);
    const [result] = await run<Result>(full);
    const rows = Number(result.rows);
    if (method === "PUT" && rows !== 1) {
      const message = "Payload values do not match URL in primary key column(s)";
      throw new RequestError(400, { code: "PGRST115", message });
    }
    requireRowCount(media, method === "POST" ? {} : preferences, rows);
    const inserted = Number(result.inserted ?? 0) > 0;
    const merges = preferences.resolution === "merge-duplicates";
    const status = method === "POST"
      ? merges && !inserted ? 200 : 201
      : !hasBody
      ? 204
      : method === "PUT" && inserted
      ? 201
      : 200;
    const total = preferences.count === "exact" || preferences.count === "estimated" ? rows : null;
    const headers = {
      "content-range": method === "PUT"
        ? undefined
        : method === "PATCH"
        ? contentRange(0, rows - 1, total)
        : contentRange(1, 0, total),
      location: result.location ? `/${table.name}?${new URLSearchParams(result.location.map(splitPair))}` : undefined,
      "preference-applied": preferenceApplied(preferences, [
        ...method === "POST" ? ["resolution" as const] : [],
        ...method === "POST" || method === "PATCH" ? ["missing" as const] : [],
        "return",
        "count",
      ]),
    };
    return createResponse(result, { status, headers, media: hasBody ? media : undefined, hasBody }, scope.schema);
  });
}

const splitPair = (pair: string): [string, string] => {
  const at = pair.indexOf("=");
  return [pair.slice(0, at), pair.slice(at + 1)];
};

export async function handleCall(context: Context, name: string): Promise<Response> {
  const { scope, cache, maxRows } = context;
  const { request, schema } = scope;
  const { method } = request;
  if (!isRead(method) && method !== "POST") {
    throw new RequestError(405, { code: "PGRST101", message: `Cannot use the ${method} method on RPC` });
  }
  const { query, preferences, media } = parseRequest(scope, isRead(method));
  const args = await readArguments(request, query);
  const routine = findRoutine(cache.routines, {
    name: { schema, name },
    given: namesOf(args),
    bodyType: isRead(method) ? undefined : bodyType(request),
  });
  rejectMaxAffectedOfOne(preferences, routine);
  const table = { schema, name: routine.isComposite ? routine.returnType : name };
  const node = planRead(table, query, cache, { isFromSource: true, isWrite: false, maxRows });
  const returned = columnsOfCall(node);
  const hasBody = method !== "HEAD";
  const counts = preferences.count === "exact" || preferences.count === "estimated";
  const options = { isReadOnly: isRead(method) || !routine.isVolatile, statementTimeout: routine.timeout };
  return await inTurn(context, preferences, options, async (run) => {
    const form = { media, hasBody, counts };
    const [result] = await run<Result>(callStatement(callSql(routine, args, returned), routine, node, cache, form));
    requireRowCount(media, preferences, Number(result.rows));
    const total = result.total === null ? null : Number(result.total);
    const { status, range } = pagePlace(node.offset, Number(result.rows), total);
    const headers = { "content-range": range, "preference-applied": preferenceApplied(preferences, ["count"]) };
    return routine.isVoid
      ? createResponse(result, { status: 204, headers, hasBody: false }, schema)
      : createResponse(result, { status, headers, media, hasBody }, schema);
  });
}

async function readArguments(request: Request, query: QueryParams): Promise<CallArguments> {
  if (isRead(request.method)) return { kind: "query", pairs: query.args };
  if (bodyType(request) === "application/x-www-form-urlencoded") {
    return { kind: "query", pairs: [...new URLSearchParams(await request.text())] };
  }
  return { kind: "payload", payload: await readPayload(request, true, query.columns) };
}

function rejectMaxAffectedOfOne({ handling, maxAffected }: Preferences, { isSet }: Routine) {
  if (isSet || handling !== "strict" || maxAffected === undefined) return;
  throw new RequestError(400, {
    code: "PGRST128",
    message: "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
  });
}
