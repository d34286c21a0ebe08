// Which changes of rows and columns a subscriber receives.
import { deepStrictEqual as equal, match, ok } from "node:assert";
import { asPostgres } from "../../database.ts";
import { waitFor } from "../../wait_for.ts";
import {
  client,
  type Event,
  leave,
  listen,
  notes,
  server,
  type SubscriptionRequest,
  test,
  user,
} from "./subscribers.ts";

test("a subscriber receives inserts, updates and deletes of the rows that it may read, in order", async () => {
  await using sql = asPostgres(server);
  await using made = await notes(sql);
  const [ana, bob] = [await user("ana"), await user("bob")];
  const [anas, bobs] = [
    await listen(ana.client, { table: made.table }),
    await listen(bob.client, { table: made.table }),
  ];
  equal(anas.systems.map(({ status, message }) => [status, message]), [["ok", "Subscribed to PostgreSQL"]]);

  const [{ id }] = await sql`insert into ${
    sql(made.table)
  } (owner, title, rank) values (${ana.id}, 'first', 1) returning id`;
  // Row level security checks the row as it is when the change is read: as on the platform, a write that overtakes the
  // stream hides earlier events
  await waitFor("the insert", () => anas.events.length === 1);
  await sql`update ${sql(made.table)} set title = 'second', rank = 2`;
  await waitFor("the update", () => anas.events.length === 2);
  await sql`delete from ${sql(made.table)}`;
  await waitFor("three events", () => anas.events.length === 3);
  await waitFor("the delete", () => bobs.events.length);
  equal(anas.events.map(({ eventType, new: fresh, old }: Event) => [eventType, fresh, old]), [
    ["INSERT", { id: Number(id), owner: ana.id, title: "first", rank: 1 }, {}],
    ["UPDATE", { id: Number(id), owner: ana.id, title: "second", rank: 2 }, { id: Number(id) }],
    ["DELETE", {}, { id: Number(id) }],
  ]);
  match(anas.events[0].commit_timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  equal([anas.events[0].schema, anas.events[0].table, anas.events[0].errors], ["public", made.table, null]);
  equal(
    bobs.events.map(({ eventType, old }: Event) => [eventType, old]),
    [["DELETE", { id: Number(id) }]],
    "a non-member receives only the key of a deleted row, as on the platform",
  );
  await leave(ana.client, bob.client);
});

test("a subscriber receives only the columns that its role may select", async () => {
  await using sql = asPostgres(server);
  await using made = await notes(sql);
  const ana = await user("ana");
  const service = client(server.secretKey);
  const [anas, services] = [
    await listen(ana.client, { table: made.table }),
    await listen(service, { table: made.table }),
  ];
  await sql`insert into ${sql(made.table)} (owner, title, secret) values (${ana.id}, 'x', 'hush')`;
  await waitFor("both events", () => anas.events.length && services.events.length);
  ok(!JSON.stringify(anas.events).includes("hush") && !JSON.stringify(anas.events).includes("secret"));
  equal(services.events[0].new.secret, "hush", "the service role reads past row level security");
  await leave(ana.client, service);
});

test("a subscriber without privileges on a published table receives an error and no row", async () => {
  await using sql = asPostgres(server);
  await using made = await notes(sql);
  const anon = client(server.publishableKey);
  const { events } = await listen(anon, { table: made.table, event: "INSERT" });
  await sql`insert into ${sql(made.table)} (title) values ('mine')`;
  await waitFor("the event", () => events.length);
  equal([events[0].errors, events[0].new], [["Error 401: Unauthorized"], {}]);
  await leave(anon);
});

test("a subscriber that may no longer read a row receives no change of it", async () => {
  await using sql = asPostgres(server);
  await using made = await notes(sql);
  const [ana, bob] = [await user("ana"), await user("bob")];
  const anas = await listen(ana.client, { table: made.table, event: "UPDATE" });
  const bobs = await listen(bob.client, { table: made.table, event: "UPDATE" });
  await sql`insert into ${sql(made.table)} (owner, title) values (${ana.id}, 'a')`;
  await sql`update ${sql(made.table)} set title = 'b'`;
  await waitFor("the owner's event", () => anas.events.length);
  await sql`update ${sql(made.table)} set owner = ${bob.id}, title = 'c'`;
  await waitFor("the new owner's event", () => bobs.events.length);
  await sql.unsafe(`revoke select on ${made.table} from authenticated`);
  await sql`update ${sql(made.table)} set title = 'd'`;
  await waitFor("the refusal", () => bobs.events.length === 2);
  equal(
    anas.events.map((event: Event) => event.new.title),
    ["b", undefined],
    "no c after losing the row; then the error",
  );
  equal(bobs.events.map((event: Event) => [event.new.title, event.errors]), [["c", null], [undefined, [
    "Error 401: Unauthorized",
  ]]]);
  await leave(ana.client, bob.client);
});

test("a subscriber receives a row whose transaction began earlier and commits later", async () => {
  await using sql = asPostgres(server);
  await using made = await notes(sql);
  const service = client(server.secretKey);
  await listen(service, { table: made.table }); // the stream may start only between transactions
  let listening: Awaited<ReturnType<typeof listen>>;
  await sql.begin(async (sql) => {
    await sql`insert into ${sql(made.table)} (title) values ('late')`;
    listening = await listen(service, { table: made.table });
  });
  const { events } = listening!;
  await waitFor("the insert", () => events.length);
  equal(events[0].new.title, "late");
  await leave(service);
});

test("filters test the values of the row", async () => {
  await using sql = asPostgres(server);
  await using made = await notes(sql);
  const service = client(server.secretKey);
  const filters = {
    "rank=eq.2": [2],
    "rank=neq.2": [1, 3, 4],
    "rank=lt.2": [1],
    "rank=lte.2": [1, 2],
    "rank=gt.3": [4],
    "rank=gte.3": [3, 4],
    "rank=in.(1,4)": [1, 4],
    'title=in.("a,1",b)': [1, 2],
    "rank=not.in.(1,4)": [2, 3],
    "rank=gt.1,rank=lt.4": [2, 3],
    "title=like.%c%": [3],
    "secret=is.null": [1, 2, 3, 4],
    'title=eq."a,1"': [1],
  };
  const received = await Promise.all(
    Object.keys(filters).map((filter) => listen(service, { table: made.table, event: "INSERT", filter })),
  );
  const all = await listen(service, { table: made.table, event: "INSERT" });
  for (const [rank, title] of [[1, "a,1"], [2, "b"], [3, "xcx"], [4, "d"]]) {
    await sql`insert into ${sql(made.table)} (rank, title) values (${rank}, ${title})`;
  }
  await waitFor("the last insert", () => all.events.length === 4);
  await waitFor(
    "the last filtered event",
    () => received.every(({ events }, i) => events.length >= Object.values(filters)[i].length),
  );
  equal(
    Object.fromEntries(received.map(({ events }, i) => [
      Object.keys(filters)[i],
      events.map((event: Event) => event.new.rank),
    ])),
    filters,
  );
  await leave(service);
});

test("a channel can subscribe to several tables and to selected columns", async () => {
  await using sql = asPostgres(server);
  await using first = await notes(sql);
  await using second = await notes(sql);
  const service = client(server.secretKey);
  const { events } = await listen(service, { table: first.table, event: "INSERT", select: ["title"] }, {
    table: second.table,
    event: "INSERT",
  });
  await sql`insert into ${sql(first.table)} (title, rank) values ('x', 1)`;
  await sql`insert into ${sql(second.table)} (title, rank) values ('y', 2)`;
  await waitFor("both events", () => events.length === 2);
  equal(events[0].new, { id: 1, title: "x" });
  equal(events[1].new.rank, 2);
  await leave(service);
});

test("realtime sends only tables of the publication, including those added later", async () => {
  await using sql = asPostgres(server);
  await using made = await notes(sql);
  await sql.unsafe(`alter publication supabase_realtime drop table ${made.table}`);
  const service = client(server.secretKey);
  const early = await listen(service, { table: made.table });
  equal(early.systems[0].status, "error");
  match(
    early.systems[0].message,
    /^Unable to subscribe to changes with given parameters\. Please check Realtime is enabled/,
  );
  await sql`insert into ${sql(made.table)} (title) values ('unheard')`;
  await sql.unsafe(`alter publication supabase_realtime add table ${made.table}`);
  const late = await listen(service, { table: made.table });
  await sql`insert into ${sql(made.table)} (title) values ('heard')`;
  await waitFor("the event", () => late.events.length);
  equal(late.events.map((event: Event) => event.new.title), ["heard"]);
  equal(early.events, []);
  await leave(service);
});

test("a client can subscribe to a table while another published table is locked", async () => {
  await using sql = asPostgres(server);
  await using made = await notes(sql);
  await using other = await notes(sql);
  const service = client(server.secretKey);
  const { systems } = await sql.begin(async (sql) => {
    await sql`lock table ${sql(other.table)} in access exclusive mode`; // as dropping and altering do
    return await listen(service, { table: made.table });
  });
  equal(systems.map(({ status, message }) => [status, message]), [["ok", "Subscribed to PostgreSQL"]]);
  await leave(service);
});

test("an invalid subscription fails with Realtime's message", async () => {
  await using sql = asPostgres(server);
  await using made = await notes(sql);
  const ana = await user("ana");
  const refusal = async (request: SubscriptionRequest) =>
    (await listen(ana.client, { table: made.table, ...request })).systems[0].message as string;
  match(await refusal({ filter: "secret=eq.x" }), /Exception: invalid column for filter secret$/);
  match(await refusal({ filter: "rank=eq.many" }), /Exception: invalid input syntax for type integer: "many"$/);
  match(await refusal({ filter: "rank=near.5" }), /^Error parsing `filter` params: \["near","5"\]$/);
  match(
    await refusal({ filter: `rank=in.(${Array.from({ length: 101 }, (_, i) => i)})` }),
    /Exception: too many values for `in` filter\. Maximum 100$/,
  );
  await leave(ana.client);
});
