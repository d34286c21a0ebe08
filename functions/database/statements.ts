/** The statements of the functions. Each ends itself: a transaction pooler keeps no settings of a session. */
import { requestId } from "../runtime/log.ts";

export interface StatementLimits {
  /** When Postgres ends the statement. */
  statementMs: number;
  /** How long it waits for a lock, in Postgres' notation. By default as briefly as private.limit_statement says. */
  lockWait?: string;
  /** Messages that it writes name the request: requestOf() is then the last parameter. */
  namesRequest?: true;
}

/** What a statement with these limits takes after its own parameters. */
export const requestOf = ({ namesRequest }: StatementLimits): (string | null)[] =>
  namesRequest ? [requestId() ?? null] : [];

/** One template per text, because the driver keeps each template that it has seen, with an Error of 8 KB, forever. */
const templates = new Map<string, TemplateStringsArray>();

/** A query with the parameters `$1`, `$2`, … in this order, as a template for the driver that limits itself. */
export function limitedTemplate(query: string, limits: StatementLimits): TemplateStringsArray {
  const { statementMs, lockWait, namesRequest } = limits;
  // Postgres evaluates a condition without columns once, before the query
  const text = `select q.* from (${query}) q where (select private.limit_statement(max_ms => ${statementMs}${
    lockWait ? `, max_lock_wait => '${lockWait}'` : ""
  }${namesRequest ? `, _request_id => $0::text` : ""}))`;
  const known = templates.get(text);
  if (known) return known;
  const strings = text.split(/\$\d+/), template = Object.assign(strings, { raw: strings });
  templates.set(text, template);
  return template;
}

/** The text of a template, with its values as parameters. */
export const textOf = (strings: readonly string[]) => strings.reduce((text, string, n) => `${text}$${n}${string}`);
