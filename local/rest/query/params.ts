// The query string: columns, filters, order and page.
import { failAsFilter, type Filter, type LogicGroup, parseLogic, parseOperation } from "./filter.ts";
import { readPath } from "./field.ts";
import { type OrderTerm, parseOrder } from "./order.ts";
import { Scanner } from "./scanner.ts";
import { parseSelect, type SelectItem } from "./select.ts";

/** A parameter of the table at the end of a path of embedded names; [] is the requested table. */
export interface At<T> {
  path: string[];
  value: T;
}

export interface Page {
  limit?: number;
  offset?: number;
}

export interface QueryParams {
  select: SelectItem[];
  conditions: At<Filter | LogicGroup>[];
  orders: At<OrderTerm[]>[];
  pages: At<Page>[];
  columns?: string[];
  onConflict?: string[];
  /** The arguments of a function called by GET. */
  args: [name: string, value: string][];
}

const reserved = ["select", "columns", "on_conflict"];

/** `takesArguments`: parameters without an operator are arguments of the called function. */
export function parseQuery(search: URLSearchParams, takesArguments: boolean): QueryParams {
  const query: QueryParams = {
    select: parseSelect(search.get("select") ?? "*"),
    conditions: [],
    orders: [],
    pages: [],
    columns: parseColumns(search.get("columns"), "columns parameter"),
    onConflict: parseColumns(search.get("on_conflict"), "on_conflict parameter"),
    args: [],
  };
  for (const [key, value] of search) {
    const word = key.slice(key.lastIndexOf(".") + 1);
    if (word === "order") query.orders.push({ path: parsePath(key).names.slice(0, -1), value: parseOrder(value) });
    else if (word === "limit" || word === "offset") addPage(query.pages, key, word, value);
    else if (word === "and" || word === "or") query.conditions.push(parseLogicParameter(key, word, value));
    else if (!reserved.includes(key)) addFilter(query, key, value, takesArguments);
  }
  return query;
}

function addFilter({ conditions, args }: QueryParams, key: string, value: string, takesArguments: boolean) {
  const { names, path } = parsePath(key);
  const name = names.pop()!;
  const parsed = parseOperation(value);
  if (parsed) conditions.push({ path: names, value: { kind: "filter", field: { name, path }, ...parsed } });
  else if (takesArguments) args.push([name, value]);
  else failAsFilter(value);
}

function parseLogicParameter(key: string, operator: "and" | "or", value: string): At<LogicGroup> {
  const { names } = parsePath(key);
  const isNegated = names.includes("not");
  const path = names.slice(0, -1).filter((name) => name !== "not");
  return { path, value: parseLogic(value, operator, isNegated) };
}

function addPage(pages: At<Page>[], key: string, word: "limit" | "offset", value: string) {
  if (!/^-?\d+$/.test(value)) return;
  const path = parsePath(key).names.slice(0, -1);
  let page = pages.find((other) => other.path.join(".") === path.join("."))?.value;
  if (!page) pages.push({ path, value: page = {} });
  page[word] = Number(value);
}

/** `podcasts.episodes.title->x`: names, and a path into the JSON of the last one. */
function parsePath(key: string) {
  const scanner = new Scanner(key, "tree path");
  const names = [scanner.name()];
  while (scanner.skip(".")) names.push(scanner.name());
  return { names, path: readPath(scanner) };
}

function parseColumns(text: string | null, what: string): string[] | undefined {
  if (text === null) return;
  const scanner = new Scanner(text, what);
  return scanner.list(() => {
    scanner.skipBlanks();
    const name = scanner.name();
    scanner.skipBlanks();
    return name;
  });
}
