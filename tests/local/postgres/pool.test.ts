// Pools of the local services: transactions whose connection is lost, and the ones that follow.
import assert from "node:assert/strict";
import postgres from "../../../local/postgres/client.ts";
import { openPool } from "../../../local/postgres/pool.ts";
import { stack } from "../../stack.ts";
import { asPostgres } from "../../database.ts";
import { startTcpProxy, type TcpProxy } from "../../tcp_proxy.ts";

const at = await stack();

/** A proxy that closes all connections as soon as a client sends this text, before the server receives it. */
function cutAt(text: string): TcpProxy {
  const proxy = startTcpProxy(at.dbUrl, () => (sent) => {
    if (new TextDecoder("latin1").decode(sent).includes(text)) proxy.cut();
  });
  return proxy;
}

const options = { onnotice: () => {}, fetch_types: false, connect_timeout: 2 };
const one = (sql: postgres.ISql) => sql<{ one: number }[]>`select 1 as one`.then(([row]) => row.one);

Deno.test("a pool runs transactions and statements after connections were lost within transactions", async () => {
  await using proxy = cutAt("lose me");
  const sql = openPool(proxy.url, { ...options, max: 2 });
  for (let times = 0; times < 5; times++) {
    const lost = [1, 2].map(() =>
      sql.begin(async (own) => {
        await one(own);
        await own`select 'lose me'`;
      })
    );
    for (const { status } of await Promise.allSettled(lost)) assert.equal(status, "rejected");
    assert.deepEqual(
      await Promise.all([one(sql), one(sql), sql.begin(one), sql.begin(one), sql.begin(one)]),
      Array(5).fill(1),
    );
  }
  await sql.end({ timeout: 1 });
});

Deno.test("a transaction that continues after its connection was lost changes nothing", async () => {
  await using proxy = cutAt("lose me");
  const sql = openPool(proxy.url, { ...options, max: 1 });
  const codes: string[] = [];
  await assert.rejects(
    sql.begin(async (own) => {
      await own`select 'lose me'`.catch((error) => codes.push(error.code));
      await own`select 1`.catch((error) => codes.push(error.code));
    }),
    { code: "CONNECTION_CLOSED" },
  );
  assert.equal(await sql.begin(one), 1);
  assert.equal(codes[0], "CONNECTION_CLOSED");
  await sql.end({ timeout: 1 });
});

Deno.test("a pool runs at most max transactions at a time, and all of them in the end", async () => {
  const sql = openPool(at.dbUrl, { ...options, max: 2 });
  let running = 0, most = 0;
  const two = Promise.withResolvers<void>();
  const all = Array.from({ length: 7 }, () =>
    sql.begin(async (own) => {
      most = Math.max(most, ++running);
      if (running === 2) two.resolve();
      await two.promise;
      await one(own);
      running--;
      return await one(own);
    }));
  assert.deepEqual(await Promise.all(all), Array(7).fill(1));
  assert.equal(most, 2);
  await sql.end({ timeout: 1 });
});

Deno.test("a backend that ends during the driver's query for array types rejects that statement only", async () => {
  await using admin = asPostgres(at);
  let isEnded = false;
  await using proxy = startTcpProxy(at.dbUrl, () => async (sent) => {
    if (isEnded || !new TextDecoder("latin1").decode(sent).includes("b.typarray")) return;
    isEnded = true;
    await admin`select pg_terminate_backend(pid, 5000) from pg_stat_activity where client_port in ${
      admin(proxy.ports())
    }`;
  });
  const sql = postgres(proxy.url, { ...options, fetch_types: true, max: 1 });
  await assert.rejects(one(sql), { code: "57P01" });
  assert.equal(await one(sql), 1);
  await sql.end({ timeout: 1 });
});
