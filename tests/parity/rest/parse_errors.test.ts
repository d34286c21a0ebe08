// Query strings that cannot be parsed, and unusual ones that can.
import { deepStrictEqual as same } from "node:assert";
import { type Rest, restTest } from "./fixture.ts";

/** The message without the parameter, and the details. */
async function parseError({ raw }: Rest, path: string) {
  const response = await raw(path), { code, message, details } = await response.json();
  same([response.status, code], [400, "PGRST100"], path);
  return `${/^"failed to parse ([\w ]+) \(/.exec(message)?.[1]} ${/" \((.*)\)$/s.exec(message)?.[1]}: ${details}`;
}

const fieldName = "field name (* or [a..z0..9_$])";
const operator = "operator (eq, gt, ...)";

restTest("a query that cannot be parsed is 400 with the place and what is expected there", async (rest) => {
  const expected: [query: string, error: string][] = [
    [
      "select=title!x",
      `select parameter line 1, column 6: unexpected '!' expecting letter, digit, "-", "->>", "->", "::", ".", ")", "," ` +
      "or end of input",
    ],
    ["select=title::", "select parameter line 1, column 8: unexpected end of input expecting letter or digit"],
    [
      "select=lt_hosts(role",
      `select parameter line 1, column 14: unexpected end of input expecting letter, digit, "-", "->>", "->", "::", ".", ` +
      `")", "," or end of input`,
    ],
    ["select=notes->-x", 'select parameter line 1, column 9: unexpected "x" expecting digit'],
    [
      "select=notes->>-7x",
      `select parameter line 1, column 11: unexpected 'x' expecting digit, "->", "::", ".", "," or end of input`,
    ],
    [
      "order=id.sideways",
      'order line 1, column 4: unexpected "s" expecting "asc", "desc", "nullsfirst" or "nullslast"',
    ],
    ["order=id.descc", `order line 1, column 8: unexpected 'c' expecting delimiter (.), "," or end of input`],
    ["order=id.asc.first", 'order line 1, column 8: unexpected "f" expecting "nullsfirst" or "nullslast"'],
    ["order=", `order line 1, column 1: unexpected end of input expecting ${fieldName}`],
    ["id=1", `filter line 1, column 1: unexpected "1" expecting "not" or ${operator}`],
    ["id=", `filter line 1, column 1: unexpected end of input expecting "not" or ${operator}`],
    ["id=not.1", `filter line 1, column 5: unexpected "1" expecting ${operator}`],
    ["id=in.1", 'filter line 1, column 4: unexpected "1" expecting "("'],
    [
      "id=is.maybe",
      'filter line 1, column 4: unexpected "m" expecting isVal: (null, not_null, true, false, unknown)',
    ],
    ["title=%C3%A9", `filter line 1, column 1: unexpected "\\233" expecting "not" or ${operator}`],
    [
      "or=()",
      `logic tree line 1, column 4: unexpected ")" expecting ${fieldName}, negation operator (not) or logic operator ` +
      "(and, or)",
    ],
    ["or=(id.in.1,id.eq.3)", 'logic tree line 1, column 10: unexpected "1" expecting "("'],
    [
      "and=(or(id.eq.1),nor(id.eq.1))",
      'logic tree line 1, column 20: unexpected "(" expecting letter, digit, "-", ' +
      '"->>", "->" or delimiter (.)',
    ],
    [
      "or=(id.eq.1,not.xor(id.eq.2))",
      'logic tree line 1, column 16: unexpected "x" expecting logic operator (and, or)',
    ],
    ["not.and=title.eq.x", 'logic tree line 1, column 8: unexpected "t" expecting "("'],
    ["not.or=)", 'logic tree line 1, column 7: unexpected ")" expecting "("'],
    ["!=eq.1", `tree path line 1, column 1: unexpected "!" expecting ${fieldName}`],
    ["!.or=(id.eq.1)", `logic path line 1, column 1: unexpected "!" expecting ${fieldName}`],
    ["columns=", `columns parameter line 1, column 1: unexpected end of input expecting ${fieldName}`],
    ["on_conflict=,", `on_conflict parameter line 1, column 1: unexpected "," expecting ${fieldName}`],
  ];
  const found = await Promise.all(expected.map(([query]) => parseError(rest, `/lt_shows?${query}`)));
  same(found, expected.map(([, error]) => error));
});

restTest("of several parse errors the first in PostgREST's order is returned", async (rest) => {
  const parameters = ["order=!", "or=!", "columns=!", "select=id!", "id=!", "on_conflict=!"];
  const named = ["order", "logic tree", "columns parameter", "select parameter", "filter", "on_conflict parameter"];
  for (let first = 0; first < parameters.length; first++) {
    const query = parameters.slice(first).reverse().join("&");
    same((await parseError(rest, `/lt_shows?${query}`)).split(" line")[0], named[first]);
  }
});

restTest("a query is read as far as it can be parsed", async ({ raw }) => {
  const read = async (query: string, table = "lt_shows") => {
    const response = await raw(`/${table}?${query}`), { code, message, ...rows } = await response.json();
    return response.ok ? Object.values(rows) : [response.status, code, message];
  };
  const all = [{ id: 1, name: "Ana" }, { id: 2, name: "Vic" }];
  for (const select of ["", "(name)", "*!x", ",name"]) same(await read(`select=${select}`, "lt_people"), all);
  same(await read("select=title)&id=eq.1"), [{ title: "Alpha" }]);
  same(await read("select=id&id=in.(1,2)x"), [{ id: 1 }, { id: 2 }]);
  // The parameter's name and its value are one text
  same(await read("select=id&or=title.eq.x"), [400, "42703", "column lt_shows.ortitle does not exist"]);
});

restTest("a parameter without a value is ignored, and a semicolon separates, too", async ({ raw }) => {
  const read = async (query: string) => await (await raw(`/lt_shows?${query}`)).json();
  same(await read("select=id&nope&order&id=eq.1"), [{ id: 1 }]);
  same(await read("select=id;order=id.desc;limit=1"), [{ id: 3 }]);
});

restTest("an argument of a function that begins as a filter is a filter", async (rest) => {
  same(await parseError(rest, "/rpc/lt_greet?name=in.x"), 'filter line 1, column 4: unexpected "x" expecting "("');
  const notUnder = `filter line 1, column 5: unexpected "x" expecting ${operator}`;
  same(await parseError(rest, "/rpc/lt_greet?name=not.x"), notUnder);
});
