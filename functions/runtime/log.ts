/** Log lines: one JSON object each, with keys in snake_case. */
import { AsyncLocalStorage } from "node:async_hooks";
import { describeError } from "./describe_error.ts";

/** What all lines of a request, or of the worker, have in common. */
interface LogContext {
  function: string;
  request_id?: string;
}

const context = new AsyncLocalStorage<LogContext>();

/** Runs `work`; its lines have these fields, as have those of promises that it leaves behind. */
export const withLogContext = <T>(fields: LogContext, work: () => T): T => context.run(fields, work);

/** Fields never contain query strings, headers or bodies of requests, because these carry tokens. */
export function logInfo(fields: Record<string, unknown>) {
  console.log(JSON.stringify({ ...context.getStore(), ...fields }));
}

/** Logs the stack of an error and the messages of its causes. */
export function logError({ error, ...fields }: Record<string, unknown>) {
  const { stack, cause } = error instanceof Error ? error : { stack: String(error), cause: undefined };
  const line = { ...context.getStore(), ...fields, error: stack, cause: describeCause(cause) };
  console.error(JSON.stringify(line));
}

export const describeCause = (cause: unknown) => cause === undefined ? undefined : describeError(cause);
