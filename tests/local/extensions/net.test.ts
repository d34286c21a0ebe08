import { deepStrictEqual as equal, match, ok, rejects } from "node:assert";
import { startHttpServer } from "../../http_server.ts";
import { stack } from "../../stack.ts";
import { asPostgres } from "../../database.ts";
import { waitFor } from "../../wait_for.ts";

const local = await stack();

interface ReceivedRequest {
  method: string;
  url: string;
  headers: Headers;
  body: string;
}

/** Starts a server of the test's own, whose requests it records, and connects to the database. */
async function startTarget(
  respond: (request: Request) => Response | Promise<Response> = () => Response.json({ fine: true }),
) {
  const requests: ReceivedRequest[] = [];
  const server = startHttpServer(async (request) => {
    const url = new URL(request.url);
    requests.push({
      method: request.method,
      url: url.pathname + url.search,
      headers: request.headers,
      body: await request.text(),
    });
    return await respond(request);
  });
  const sql = asPostgres(local);
  await sql.unsafe("create extension if not exists pg_net with schema extensions").simple();
  return {
    sql,
    requests,
    url: server.url,
    responseTo: (id: string) =>
      waitFor(
        `the response to request ${id}`,
        async () => (await sql`select * from net._http_response where id = ${id}`)[0],
      ),
    async [Symbol.asyncDispose]() {
      await sql[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

Deno.test("pg_net sends GET, POST and DELETE and records the responses", async () => {
  await using target = await startTarget();
  const { sql, url } = target;
  const [{ id: get }] = await sql`select net.http_get(${
    url + "/a?x=1"
  }, '{"q": "ä & ö", "r": "2"}', '{"X-One": "1"}') as id`;
  const response = await target.responseTo(get);
  equal([response.status_code, response.content_type, response.content, response.timed_out, response.error_msg], [
    200,
    "application/json",
    '{"fine":true}',
    false,
    null,
  ]);
  equal(response.headers["content-type"], "application/json");
  const [{ id: post }] = await sql`select net.http_post(${url + "/b"}, '{"say": "héllo"}') as id`;
  await target.responseTo(post);
  const [{ id: deleting }] = await sql`select net.http_delete(${url + "/c"}, body := '[1]') as id`;
  await target.responseTo(deleting);
  equal(target.requests.map(({ method, url, body }) => [method, url, body]), [
    ["GET", "/a?x=1&q=%C3%A4%20%26%20%C3%B6&r=2", ""],
    ["POST", "/b", '{"say": "héllo"}'],
    ["DELETE", "/c", "[1]"],
  ]);
  const [first, second] = target.requests;
  equal([first.headers.get("x-one"), first.headers.get("user-agent"), second.headers.get("content-type")], [
    "1",
    "pg_net/0.20.3",
    "application/json",
  ]);
});

Deno.test("pg_net sends a request after the commit and none after a rollback", async () => {
  await using target = await startTarget();
  const { sql, url } = target;
  await sql.begin(async (own) => {
    await own`select net.http_get(${url + "/undone"})`;
    throw new Error("never mind");
  }).catch(() => {});
  let inside = "";
  await sql.begin(async (own) => {
    [{ id: inside }] = await own`select net.http_get(${url + "/inside"}) as id`;
    const [{ id }] = await sql`select net.http_get(${url + "/outside"}) as id`;
    await target.responseTo(id);
    equal(target.requests.map((one) => one.url), ["/outside"]);
  });
  await target.responseTo(inside);
  equal(target.requests.map((one) => one.url), ["/outside", "/inside"]);
});

Deno.test("pg_net records error statuses, text and empty responses", async () => {
  await using target = await startTarget((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/fails") return Response.json({ error: "no" }, { status: 503 });
    if (pathname === "/moved") return new Response(null, { status: 302, headers: { location: "/text" } });
    return pathname === "/empty"
      ? new Response(null, { status: 204 })
      : new Response("plain\0rest", { headers: { "content-type": "text/plain" } });
  });
  const get = async (path: string) => {
    const [{ id }] = await target.sql`select net.http_get(${target.url + path}) as id`;
    const { status_code, content } = await target.responseTo(id);
    return [status_code, content];
  };
  equal(await get("/fails"), [503, '{"error":"no"}']);
  equal(await get("/text"), [200, "plain"]);
  equal(await get("/moved"), [200, "plain"]);
  equal(await get("/empty"), [204, null]);
});

Deno.test("pg_net records an unknown host, a timeout and a long body as errors", async () => {
  const release = Promise.withResolvers<void>();
  await using target = await startTarget(async () => {
    await release.promise;
    return new Response("late");
  });
  const { sql, url } = target;
  const [{ id: closed }] = await sql`select net.http_get('http://127.0.0.1:1/') as id`;
  const [{ id: unknown }] =
    await sql`select net.http_get('http://nowhere.invalid/', timeout_milliseconds := 60000) as id`;
  const [{ id: slow }] = await sql`select net.http_get(${url}, timeout_milliseconds := 50) as id`;
  const [{ id: long }] = await sql`select net.http_post(${url}, jsonb_build_object('x', repeat('x', 70000))) as id`;
  equal((await target.responseTo(closed)).error_msg, "Couldn't connect to server");
  equal((await target.responseTo(unknown)).error_msg, "Couldn't resolve host name");
  const late = await target.responseTo(slow);
  equal([late.timed_out, late.status_code], [true, null]);
  match(late.error_msg, /^Timeout of 50 ms reached\. Total time: [\d.]+ ms/);
  match(
    (await target.responseTo(long)).error_msg,
    /^The body has 700\d\d bytes; pg_net on the platform hangs on more than 65536$/,
  );
  equal([...await sql`select status, message from net._http_collect_response(${closed})`], [{
    status: "ERROR",
    message: "Couldn't connect to server",
  }]);
  release.resolve();
});

Deno.test("an invalid request fails with pg_net's message", async () => {
  await using target = await startTarget();
  await rejects(target.sql`select net.http_get('not a url')`, /Bad URL/);
  await rejects(target.sql`select net.http_post(${target.url}, headers := '{"content-type": "text/plain"}')`, {
    message: 'Content-Type header must be "application/json"',
  });
  equal((await target.sql`select net.check_worker_is_up()`).length, 1);
});

Deno.test("pg_net sends a limited number of requests concurrently", async () => {
  let [open, maxOpen] = [0, 0];
  const release = Promise.withResolvers<void>();
  await using target = await startTarget(async () => {
    maxOpen = Math.max(maxOpen, ++open);
    await release.promise;
    open--;
    return new Response("ok");
  });
  const rows = await target
    .sql`select net.http_get(${target.url}, timeout_milliseconds := 60000) as id from generate_series(1, 120)`;
  await waitFor("the first fifty", () => open >= 50);
  const waiting = await target.sql`select from net.http_request_queue`;
  ok(waiting.length >= 70, `${waiting.length} wait their turn`);
  release.resolve();
  for (const { id } of rows) equal((await target.responseTo(id)).status_code, 200);
  equal(maxOpen, 50);
});

Deno.test("pg_net deletes responses after six hours", async () => {
  await using target = await startTarget();
  const { sql, url } = target;
  await sql`insert into net._http_response (id, created) values (-1, now() - interval '6 hours 1 minute'), (-2, now() - interval '5 hours 59 minutes')`;
  await sql`select net.http_get(${url})`;
  await waitFor("the deletion", async () => (await sql`select from net._http_response where id = -1`).length === 0);
  equal((await sql`delete from net._http_response where id < 0 returning id`).map((row) => row.id), ["-2"]);
});
