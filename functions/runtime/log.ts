/** Log lines: one JSON object each, with keys in snake_case, and a level: info, warn or error. */
import { AsyncLocalStorage } from "node:async_hooks";
import { describeError } from "./describe_error.ts";

/** What all lines of a request, of the worker, or of a run of a job have in common. */
interface LogContext {
  function?: string;
  /** Of a run: that of the request which caused its messages. */
  request_id?: string;
  queue?: string;
  message_ids?: string[];
  attempt?: number;
}

const context = new AsyncLocalStorage<LogContext>();

/** Runs `work`; its lines have these fields, and those of its surroundings, as have those of promises it leaves behind. */
export const withLogContext = <T>(fields: Partial<LogContext>, work: () => T): T =>
  context.run({ ...context.getStore(), ...fields }, work);

/** The request that this code works for. */
export const requestId = (): string | undefined => context.getStore()?.request_id;

/** Fields never contain query strings, headers or bodies of requests, because these carry tokens. */
export function logInfo(fields: Record<string, unknown>) {
  console.log(JSON.stringify({ level: "info", ...context.getStore(), ...fields }));
}

/** What is tried again, or was refused because something else is missing or busy: many of them need an operator. */
export function logWarning(fields: Record<string, unknown>) {
  console.warn(JSON.stringify({ level: "warn", ...context.getStore(), ...fields }));
}

/** What needs an operator. Logs the stack of an error and the messages of its causes. */
export function logError({ error, ...fields }: Record<string, unknown>) {
  const { stack, cause } = error instanceof Error ? error : { stack: String(error), cause: undefined };
  const line = { level: "error", ...context.getStore(), ...fields, error: stack, cause: describeCause(cause) };
  console.error(JSON.stringify(line));
}

export const describeCause = (cause: unknown) => cause === undefined ? undefined : describeError(cause);
