// Methods and paths: OPTIONS, unknown methods and unknown paths.
import { deepStrictEqual as same, match } from "node:assert";
import { type Rest, restTest, schemaIsRead } from "./fixture.ts";

const codeOf = async (response: Response) => [response.status, (await response.json()).code];

/** The methods that OPTIONS names. */
async function allowed({ raw }: Rest, path: string, headers: HeadersInit = {}) {
  const response = await raw(path, { method: "OPTIONS", headers });
  same([response.status, await response.text()], [200, ""], path);
  same(response.headers.get("access-control-allow-origin"), "*");
  return response.headers.get("allow");
}

restTest("OPTIONS without the headers of a preflight names the methods of a table or function", async (rest) => {
  const all = "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE";
  same(await allowed(rest, "/lt_shows"), all);
  same(await allowed(rest, "/lt_shows", { origin: "https://app.example.com" }), all);
  same(await allowed(rest, "/lt_shows", { "access-control-request-method": "PATCH" }), all); // of no origin
  same(await allowed(rest, "/lt_private?select=id&id=eq.1"), all); // grants do not matter
  same(await allowed(rest, "/rpc/lt_greet"), "OPTIONS,GET,HEAD,POST");
  same(await allowed(rest, "/rpc/lt_nothing"), "OPTIONS,POST");
});

restTest("OPTIONS names the methods of a view by what its rows allow", async (rest) => {
  const { sql, anon } = rest;
  await sql.unsafe(`
    create view public.lt_live as select id, title from public.lt_shows where status = 'live';
    create view public.lt_counts as select count(*) from public.lt_shows;
    grant select on public.lt_live, public.lt_counts to anon`).simple();
  try {
    await schemaIsRead(() => anon.from("lt_counts").select());
    same(await allowed(rest, "/lt_live"), "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE");
    same(await allowed(rest, "/lt_counts"), "OPTIONS,GET,HEAD");
  } finally {
    await sql.unsafe("drop view public.lt_live, public.lt_counts").simple();
  }
});

restTest("OPTIONS has the errors of a read", async ({ raw }) => {
  const options = async (path: string, headers: HeadersInit = {}) =>
    await codeOf(await raw(path, { method: "OPTIONS", headers }));
  same(await options("/nowhere"), [404, "PGRST205"]);
  same(await options("/rpc/nothing"), [404, "PGRST202"]);
  same(await options("/lt_shows?id=1"), [400, "PGRST100"]);
  same(await options("/lt_shows", { "accept-profile": "private" }), [406, "PGRST106"]);
  same(await options("/rpc/lt_greet?name=x"), [400, "PGRST100"]); // its parameters are filters
});

restTest("a preflight is answered on every path, without a key", async ({ stack }) => {
  const headers = { origin: "https://app.example.com", "access-control-request-method": "DELETE" };
  for (const path of ["/lt_shows", "/nowhere", "/rpc/lt_greet", "/rpc/nothing", "/", "/lt_shows/1"]) {
    const response = await fetch(`${stack.url}/rest/v1${path}`, { method: "OPTIONS", headers });
    same([response.status, response.headers.get("access-control-allow-origin")], [200, "*"], path);
    match(response.headers.get("access-control-allow-methods")!, /\bDELETE\b/);
  }
});

restTest("an unknown method is 405 before the query is parsed", async ({ raw }) => {
  const read = async (path: string, method: string) => {
    const response = await raw(path, { method }), { code, message } = await response.json();
    return [response.status, code, message];
  };
  same(await read("/nowhere?id=1", "PURGE"), [405, "PGRST117", "Unsupported HTTP method: PURGE"]);
  same(await read("/rpc/nothing?id=in.x", "DELETE"), [405, "PGRST101", "Cannot use the DELETE method on RPC"]);
});

restTest("a path of more than a table or a function is invalid", async ({ raw }) => {
  for (const path of ["//lt_shows", "/lt_shows/", "/lt_shows/1", "/rpc/lt_greet/", "/rpc/lt_greet/x"]) {
    same(await codeOf(await raw(path)), [404, "PGRST125"], path);
  }
  same(await codeOf(await raw("/rpc")), [404, "PGRST205"]);
  same(await codeOf(await raw("/rpc/")), [404, "PGRST202"]);
});

restTest("a response names the headers of the request on which it depends", async ({ raw }) => {
  for (const path of ["/lt_shows?select=id", "/rpc/lt_greet"]) {
    match((await raw(path)).headers.get("vary")!, /\bAccept, Prefer, Range$/); // a gateway may name more
  }
});
