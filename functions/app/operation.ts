/** Routes that only run a SQL function as their caller. A route with logic of its own has a handler instead. */
import { type Handler, Hono } from "hono";
import type { z } from "zod";
import { NoFields } from "../../types/envelope.ts";
import type { RpcResult } from "../database/db.ts";
import { type Arguments, type CamelName, type Operation, toCamelName } from "../database/operations.ts";
import type { AppEnv } from "./app.ts";
import { declare, type RouteDescription } from "./describe_route.ts";
import { reply as replyInEnvelope } from "./reply.ts";
import { repeatCall } from "./repeat_call.ts";
import { readValid } from "./validation.ts";

/** `Params`, `Query`, `Json` and `Changes` are what the schemas return. */
interface OperationOptions<Params, Query, Json, Changes, Rename> extends Omit<RouteDescription, "operationId"> {
  /** For a second route of the same function. */
  operationId?: string;
  params?: z.ZodType<Params>;
  query?: z.ZodType<Query>;
  /** A body whose fields are arguments. Without one, requests other than GET may have no fields. */
  json?: z.ZodType<Json>;
  /** A body that is the argument `changes`. */
  changes?: z.ZodType<Changes>;
  maxBytes?: number;
  /** Arguments whose names differ on the wire: `{ id: "episodeId" }`. */
  rename?: Rename;
  /** The count of a function that says `hasMore`: the route repeats the call and returns the sum. */
  repeatedCount?: string;
  /** Sends the result. The default is `{ success: true, data }`. */
  reply?: (result: RpcResult) => Response | Promise<Response>;
}

/**
 * Declares a route by its SQL function: `operation("POST", "/:id/confirm", "confirm_booking", …)`. The `operationId` is
 * that name in camelCase, and path, query and body give the arguments, which TypeScript compares with the function's.
 */
export function operation<
  Name extends Operation,
  Params extends object = Nothing,
  Query extends object = Nothing,
  Json extends object = Nothing,
  Changes extends object = never,
  const Rename extends { [K in keyof (Params & Query & Json)]?: keyof Arguments<Name> } = Nothing,
>(
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  name: Name,
  options:
    & OperationOptions<Params, Query, Json, Changes, Rename>
    & ArgumentCheck<InputArguments<Params & Query & Json, Changes, Rename>, Arguments<Name>>,
): Hono<AppEnv> {
  const { params, query, json, changes, maxBytes, rename, repeatedCount, reply = replyInEnvelope, ...description } =
    options;
  const body: z.ZodType<object> | undefined = changes ?? json ?? (method === "GET" ? undefined : NoFields);
  const argumentNames = new Map<string, string>(Object.entries(rename ?? {}));

  const handler: Handler<AppEnv> = async (c) => {
    const input = {
      ...params && await readValid(c, "param", params),
      ...query && await readValid(c, "query", query),
    };
    const fields = body && await readValid(c, "json", body, maxBytes);
    const args = Object.entries({ ...input, ...changes ? { changes: fields } : fields })
      .map(([name, value]) => [argumentNames.get(name) ?? name, value]);
    const call = () => c.var.db.call(name, Object.fromEntries(args));
    return reply(await (repeatedCount ? repeatCall(call, repeatedCount) : call()));
  };
  declare(handler, { operationId: toCamelName(name), ...description, param: params, query, json: body });
  return new Hono<AppEnv>().on(method, path, handler);
}

/** No fields: the default of a schema that is absent. */
export type Nothing = Record<never, never>;

/** The arguments that a request's input makes. A name in snake_case on the wire is the same argument. */
type InputArguments<Input, Changes, Rename> =
  & { [K in keyof Input as K extends keyof Rename ? Rename[K] & string : CamelName<K>]: Input[K] }
  & ([Changes] extends [never] ? unknown : { changes: Changes });

/** Rejects options whose input is not exactly the function's arguments: it requires a member that no options have. */
export type ArgumentCheck<Input, Expected> = Input extends Expected
  ? Exclude<keyof Input, keyof Expected> extends never ? unknown
  : { unknownArguments: Exclude<keyof Input, keyof Expected> }
  : { neededArguments: Expected };
