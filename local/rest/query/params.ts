// The query string: columns, filters, order and page.
import { type Condition, delimiter, parseLogic, parseOperation } from "./filter.ts";
import { lexeme, name, path } from "./field.ts";
import { type OrderTerm, parseOrder } from "./order.ts";
import { char, map, parse, separated1, sequence } from "./parser.ts";
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
  conditions: At<Condition>[];
  orders: At<OrderTerm[]>[];
  pages: At<Page>[];
  columns?: string[];
  onConflict?: string[];
  /** The arguments of a function called by GET. */
  args: [name: string, value: string][];
}

/** Parameters of embedded tables have such names, too: `episodes.order`. */
const words = ["order", "limit", "offset", "and", "or"];
const reserved = ["select", "columns", "on_conflict"];
const lastWord = (key: string) => key.slice(key.lastIndexOf(".") + 1);

/**
 * Reads the query of a request. The first error of several is PostgREST's. `takesArguments`: parameters without an
 * operator are arguments of the called function.
 */
export function parseQuery(search: URLSearchParams, takesArguments: boolean): QueryParams {
  const named = (...names: string[]) => [...search].filter(([key]) => names.includes(lastWord(key)));
  const orders = named("order").map(([key, value]) => ({ path: parentsOf(key), value: parseOrder(value) }));
  const logic = named("and", "or").map(([key, value]) => parseLogicParameter(key, value));
  const columns = parseColumns(search.get("columns"), "columns parameter");
  const select = parseSelect(search.get("select") ?? "*");
  const filters: At<Condition>[] = [], args: QueryParams["args"] = [];
  for (const [key, value] of search) {
    if (words.includes(lastWord(key)) || reserved.includes(key)) continue;
    const { names, path } = parsePath(key), name = names.pop()!;
    const operation = parseOperation(value, takesArguments);
    if (operation) filters.push({ path: names, value: { kind: "filter", field: { name, path }, ...operation } });
    else args.push([name, value]);
  }
  const onConflict = parseColumns(search.get("on_conflict"), "on_conflict parameter");
  const pages: At<Page>[] = [];
  for (const [key, value] of named("limit", "offset")) addPage(pages, key, value);
  return { select, conditions: [...filters, ...logic], orders, pages, columns, onConflict, args };
}

const logicPath = separated1(name, delimiter);

function parseLogicParameter(key: string, value: string): At<Condition> {
  const names = parse(logicPath, key, "logic path");
  const operator = (names.includes("not") ? "not." : "") + names.at(-1);
  return { path: names.slice(0, -1).filter((name) => name !== "not"), value: parseLogic(operator, value) };
}

function addPage(pages: At<Page>[], key: string, value: string) {
  if (!/^-?\d+$/.test(value)) return;
  const path = parentsOf(key);
  let page = pages.find((other) => other.path.join(".") === path.join("."))?.value;
  if (!page) pages.push({ path, value: page = {} });
  page[lastWord(key) as keyof Page] = Number(value);
}

const treePath = map(sequence(separated1(name, delimiter), path), ([names, path]) => ({ names, path }));

/** `podcasts.episodes.title->x`: names, and a path into the JSON of the last one. */
const parsePath = (key: string) => parse(treePath, key, "tree path");
const parentsOf = (key: string) => parsePath(key).names.slice(0, -1);

const columnNames = separated1(name, lexeme(char(",")));

const parseColumns = (text: string | null, what: string): string[] | undefined =>
  text === null ? undefined : parse(columnNames, text, what);
