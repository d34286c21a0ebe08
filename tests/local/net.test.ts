import { deepStrictEqual as equal, match, ok, rejects } from "node:assert";
import { stack } from "../stack.ts";
import { asPostgres, waitFor } from "./services.ts";

const server = await stack();

interface ReceivedRequest {
  method: string;
  url: string;
  headers: Headers;
  body: string;
}

/** A server of the test's own and a connection; records the server's requests. */
async function workshop(
  answer: (request: Request) => Response | Promise<Response> = () => Response.json({ fine: true }),
) {
  const requests: ReceivedRequest[] = [];
  const target = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const url = new URL(request.url);
    requests.push({
      method: request.method,
      url: url.pathname + url.search,
      headers: request.headers,
      body: await request.text(),
    });
    return await answer(request);
  });
  const sql = asPostgres(server);
  await sql.unsafe("create extension if not exists pg_net with schema extensions").simple();
  return {
    sql,
    requests,
    url: `http://127.0.0.1:${target.addr.port}`,
    answerTo: (id: string) =>
      waitFor(
        `the answer to request ${id}`,
        async () => (await sql`select * from net._http_response where id = ${id}`)[0],
      ),
    async [Symbol.asyncDispose]() {
      await sql[Symbol.asyncDispose]();
      await target.shutdown();
    },
  };
}

Deno.test("pg_net sends GET, POST and DELETE and records the responses", async () => {
  await using work = await workshop();
  const { sql, url } = work;
  const [{ id: get }] = await sql`select net.http_get(${
    url + "/a?x=1"
  }, '{"q": "ä & ö", "r": "2"}', '{"X-One": "1"}') as id`;
  const answer = await work.answerTo(get);
  equal([answer.status_code, answer.content_type, answer.content, answer.timed_out, answer.error_msg], [
    200,
    "application/json",
    '{"fine":true}',
    false,
    null,
  ]);
  equal(answer.headers["content-type"], "application/json");
  const [{ id: post }] = await sql`select net.http_post(${url + "/b"}, '{"say": "héllo"}') as id`;
  await work.answerTo(post);
  const [{ id: gone }] = await sql`select net.http_delete(${url + "/c"}, body := '[1]') as id`;
  await work.answerTo(gone);
  equal(work.requests.map(({ method, url, body }) => [method, url, body]), [
    ["GET", "/a?x=1&q=%C3%A4%20%26%20%C3%B6&r=2", ""],
    ["POST", "/b", '{"say": "héllo"}'],
    ["DELETE", "/c", "[1]"],
  ]);
  const [first, second] = work.requests;
  equal([first.headers.get("x-one"), first.headers.get("user-agent"), second.headers.get("content-type")], [
    "1",
    "pg_net/0.20.3",
    "application/json",
  ]);
});

Deno.test("pg_net sends a request after the commit and none after a rollback", async () => {
  await using work = await workshop();
  const { sql, url } = work;
  await sql.begin(async (own) => {
    await own`select net.http_get(${url + "/undone"})`;
    throw new Error("never mind");
  }).catch(() => {});
  let inside = "";
  await sql.begin(async (own) => {
    [{ id: inside }] = await own`select net.http_get(${url + "/inside"}) as id`;
    const [{ id }] = await sql`select net.http_get(${url + "/outside"}) as id`;
    await work.answerTo(id);
    equal(work.requests.map((one) => one.url), ["/outside"]);
  });
  await work.answerTo(inside);
  equal(work.requests.map((one) => one.url), ["/outside", "/inside"]);
});

Deno.test("pg_net records error statuses, text and empty responses", async () => {
  await using work = await workshop((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/fails") return Response.json({ error: "no" }, { status: 503 });
    if (pathname === "/moved") return new Response(null, { status: 302, headers: { location: "/text" } });
    return pathname === "/empty"
      ? new Response(null, { status: 204 })
      : new Response("plain\0rest", { headers: { "content-type": "text/plain" } });
  });
  const ask = async (path: string) => {
    const [{ id }] = await work.sql`select net.http_get(${work.url + path}) as id`;
    const { status_code, content } = await work.answerTo(id);
    return [status_code, content];
  };
  equal(await ask("/fails"), [503, '{"error":"no"}']);
  equal(await ask("/text"), [200, "plain"]);
  equal(await ask("/moved"), [200, "plain"]);
  equal(await ask("/empty"), [204, null]);
});

Deno.test("pg_net records an unknown host, a timeout and a long body as errors", async () => {
  const release = Promise.withResolvers<void>();
  await using work = await workshop(async () => {
    await release.promise;
    return new Response("late");
  });
  const { sql, url } = work;
  const [{ id: closed }] = await sql`select net.http_get('http://127.0.0.1:1/') as id`;
  const [{ id: unknown }] =
    await sql`select net.http_get('http://nowhere.invalid/', timeout_milliseconds := 60000) as id`;
  const [{ id: slow }] = await sql`select net.http_get(${url}, timeout_milliseconds := 50) as id`;
  const [{ id: long }] = await sql`select net.http_post(${url}, jsonb_build_object('x', repeat('x', 70000))) as id`;
  equal((await work.answerTo(closed)).error_msg, "Couldn't connect to server");
  equal((await work.answerTo(unknown)).error_msg, "Couldn't resolve host name");
  const late = await work.answerTo(slow);
  equal([late.timed_out, late.status_code], [true, null]);
  match(late.error_msg, /^Timeout of 50 ms reached\. Total time: [\d.]+ ms/);
  match(
    (await work.answerTo(long)).error_msg,
    /^The body has 700\d\d bytes; pg_net on the platform hangs on more than 65536$/,
  );
  equal([...await sql`select status, message from net._http_collect_response(${closed})`], [{
    status: "ERROR",
    message: "Couldn't connect to server",
  }]);
  release.resolve();
});

Deno.test("an invalid request fails with pg_net's message", async () => {
  await using work = await workshop();
  await rejects(work.sql`select net.http_get('not a url')`, /Bad URL/);
  await rejects(work.sql`select net.http_post(${work.url}, headers := '{"content-type": "text/plain"}')`, {
    message: 'Content-Type header must be "application/json"',
  });
  equal((await work.sql`select net.check_worker_is_up()`).length, 1);
});

Deno.test("pg_net sends a limited number of requests concurrently", async () => {
  let [now, most] = [0, 0];
  const release = Promise.withResolvers<void>();
  await using work = await workshop(async () => {
    most = Math.max(most, ++now);
    await release.promise;
    now--;
    return new Response("ok");
  });
  using _ = { [Symbol.dispose]: release.resolve };// the server ends only after its response
  const rows = await work
    .sql`select net.http_get(${work.url}, timeout_milliseconds := 60000) as id from generate_series(1, 120)`;
  await waitFor("the first fifty", () => now >= 50);
  const waiting = await work.sql`select from net.http_request_queue`;
  ok(waiting.length >= 70, `${waiting.length} wait their turn`);
  release.resolve();
  for (const { id } of rows) equal((await work.answerTo(id)).status_code, 200);
  equal(most, 50);
});

Deno.test("pg_net deletes responses after six hours", async () => {
  await using work = await workshop();
  const { sql, url } = work;
  await sql`insert into net._http_response (id, created) values (-1, now() - interval '6 hours 1 minute'), (-2, now() - interval '5 hours 59 minutes')`;
  const [{ id }] = await sql`select net.http_get(${url}) as id`;
  await work.answerTo(id);
  equal((await sql`delete from net._http_response where id < 0 returning id`).map((row) => row.id), ["-2"]);
});
