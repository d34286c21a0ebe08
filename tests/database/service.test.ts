// Calls of SQL functions as the service: names, values, results and errors.
import { deepStrictEqual as deepEqual, rejects, strictEqual as equal } from "node:assert";
import type { Service } from "../../functions/database/service.ts";
import { serviceFunctions } from "../../types/service.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";

/** Functions of the test's database, described as types/service.ts describes those of the project. */
const PROBES = {
  probe_names: {
    args: { episode_id: "uuid", _podcast_id: "uuid", max_items: "integer default 7", note: "text default null" },
    returns: "text",
  },
  probe_values: {
    args: {
      document: "jsonb",
      texts: "text[]",
      numbers: "bigint[]",
      bytes: "bytea",
      at: "timestamp with time zone",
      share: "numeric",
      is_on: "boolean",
      total: "bigint",
      provider: "public.calendar_provider",
    },
    returns: "text[]",
  },
  probe_json: { args: { document: "jsonb default null" }, returns: "jsonb" },
  probe_void: { args: {}, returns: "void" },
  probe_rows: {
    args: { count: "integer" },
    returns: { id: "bigint", parts: "bigint[]", at: "timestamp with time zone" },
  },
  probe_retries: { args: { failures: "bigint" }, returns: "bigint" },
  probe_lock_limit: { args: {}, returns: "text" },
};

const SQL = `
  create function private.probe_names(episode_id uuid, _podcast_id uuid, max_items int default 7, note text default null)
    returns text language sql as $$ select concat_ws(' ', episode_id, _podcast_id, max_items, coalesce(note, 'null')) $$;
  create function private.probe_values(document jsonb, texts text[], numbers bigint[], bytes bytea, at timestamptz,
    share numeric, is_on boolean, total bigint, provider public.calendar_provider) returns text[] language sql as $$
    select array[document::text, array_to_string(texts, '|', '-'), numbers::text, bytes::text, to_char(at at time zone 'utc',
      'HH24:MI:SS.US'), share::text, is_on::text, total::text, provider::text] $$;
  create function private.probe_json(document jsonb default null) returns jsonb language sql as 'select document';
  create function private.probe_void() returns void language sql as '';
  create function private.probe_rows(count int) returns table (id bigint, parts bigint[], at timestamptz)
    language sql as $$ select n, array[n, 2], timestamptz '2026-01-02 03:04:05Z' from generate_series(1, count) n $$;
  create sequence private.probe_calls;
  create function private.probe_retries(failures bigint) returns bigint language plpgsql as $$
  begin
    if nextval('private.probe_calls') <= failures then raise sqlstate '40001'; end if;
    return currval('private.probe_calls');
  end $$;
  create function private.probe_lock_limit() returns text language sql volatile
    as $$ select current_setting('lock_timeout') $$`;

type Call = (name: string, args: Record<string, unknown>) => Promise<unknown>;

// The driver's connections outlive the test
Deno.test("calls as the service", { sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using scratch = await createFeedDatabase();
  await scratch.sql.unsafe(SQL);
  Object.assign(serviceFunctions, PROBES);
  const typed = await import("../../functions/database/service.ts");
  const { serviceSql } = await import("../../functions/database/db.ts");
  const service = typed.service as unknown as Call, text = typed.service.text as Call;
  const [episodeId, podcastId] = [crypto.randomUUID(), crypto.randomUUID()];

  await t.step("an argument has its name in camelCase, with or without a leading underscore in SQL", async () => {
    equal(await service("probe_names", { podcastId, episodeId, note: "x" }), `${episodeId} ${podcastId} 7 x`);
  });

  await t.step("an absent argument has its default, and null is null", async () => {
    equal(
      await service("probe_names", { episodeId, podcastId, maxItems: undefined }),
      `${episodeId} ${podcastId} 7 null`,
    );
    equal(await service("probe_names", { episodeId, podcastId, maxItems: null }), `${episodeId} ${podcastId} null`);
  });

  await t.step("an unknown argument is an error that names it", async () => {
    await rejects(
      service("probe_names", { episodeId, podcastId, episode_id: episodeId }),
      /private\.probe_names has no argument episode_id/,
    );
  });

  await t.step("each type of value arrives as it is", async () => {
    const values = {
      document: { at: new Date(0), list: [1, "é"], text: 'a"\\' },
      texts: ["a,b", 'c"d', "e\\f", "", "null", null],
      numbers: ["9007199254740993", 2],
      bytes: new Uint8Array([0, 255, 92]),
      at: "2026-01-02T03:04:05.123456Z",
      share: 0.25,
      isOn: false,
      total: "9007199254740993",
      provider: "google",
    };
    deepEqual(await service("probe_values", values), [
      '{"at": "1970-01-01T00:00:00.000Z", "list": [1, "é"], "text": "a\\"\\\\"}',
      'a,b|c"d|e\\f||null|-',
      "{9007199254740993,2}",
      "\\x00ff5c",
      "03:04:05.123456",
      "0.25",
      "false",
      "9007199254740993",
      "google",
    ]);
    const others = { ...values, document: [1, [2]], texts: [], at: new Date("2026-01-02T03:04:05.678Z"), isOn: true };
    const [document, texts, , , at, , isOn] = await service("probe_values", others) as string[];
    deepEqual([document, texts, at, isOn], ["[1, [2]]", "", "03:04:05.678000", "true"]);
  });

  await t.step("text of a jsonb argument is JSON already, and null stays null", async () => {
    deepEqual(await service("probe_json", { document: '{"a": [1.50]}' }), { a: [1.5] });
    equal(await text("probe_json", { document: '{"b":1.50,"a":"x"}' }), '{"a": "x", "b": 1.50}');
    equal(await service("probe_json", { document: null }), null);
    equal(await text("probe_json", {}), null);
    await rejects(service("probe_json", { document: "not JSON" }), { code: "22P02" });
  });

  await t.step("a void function returns undefined, and a table its rows, with arrays of numbers", async () => {
    equal(await service("probe_void", {}), undefined);
    const at = new Date("2026-01-02T03:04:05Z");
    deepEqual(await service("probe_rows", { count: 2 }), [
      { id: "1", parts: [1, 2], at },
      { id: "2", parts: [2, 2], at },
    ]);
    deepEqual(await service("probe_rows", { count: 0 }), []);
  });

  await t.step("a call is repeated twice after a serialization failure", async () => {
    equal(await service("probe_retries", { failures: 2 }), "3");
    await rejects(service("probe_retries", { failures: 6 }), { code: "40001" });
    equal(await service("probe_retries", { failures: 6 }), "7");
  });

  await t.step("an error of the function is thrown as it is", async () => {
    await rejects(service("end_object_removal", { id: "none" }), { code: "22P02" });
    await rejects(typed.routeService("begin_portal", { userId: crypto.randomUUID() }), { code: "PT403" });
  });

  await t.step("a call of a route waits for locks more briefly than a job's, with rows too", async () => {
    equal(await (typed.routeService as unknown as Call)("probe_lock_limit", {}), "1500ms");
    equal(((await (typed.routeService as unknown as Call)("probe_rows", { count: 2 })) as unknown[]).length, 2);
    equal(await service("probe_lock_limit", {}), "8s");
  });

  await t.step("a connection has one prepared statement for each set of names", async () => {
    await service("probe_names", { note: "y", podcastId, episodeId });
    await service("probe_names", { episodeId, podcastId, note: null });
    const prepared = await serviceSql`
      select count(*)::int as statements, sum(generic_plans + custom_plans)::int as calls from pg_prepared_statements
      where statement like '%select private.probe_names(%"note"%' and statement not like '%pg_prepared_statements%'`;
    deepEqual([...prepared], [{ statements: 1, calls: 3 }]);
  });
});

Deno.test("the types of arguments and results reject a wrong name, type, null and function", () => {
  const rejected = (service: Service) => [
    // @ts-expect-error: not a function of the service
    service("is_blank", { text: "" }),
    // @ts-expect-error: the argument is podcastId
    service("delete_due_podcast", { podcast_id: "" }),
    // @ts-expect-error: podcastId is required
    service("delete_due_podcast", {}),
    // @ts-expect-error: podcastId is text
    service("delete_due_podcast", { podcastId: 1 }),
    // @ts-expect-error: podcastId has no default null
    service("delete_due_podcast", { podcastId: null }),
    // @ts-expect-error: not a provider
    service("finish_calendar_connection", { userId: "", provider: "x", account: {}, tokens: {} }),
    // @ts-expect-error: the result may be null
    service("begin_object_removal", { path: "" }).then((id) => id.length),
    // @ts-expect-error: the result is text
    service.text("begin_object_removal", { path: "" }),
  ];
  const accepted = (service: Service) =>
    service("record_calendar_event", { bookingId: "", attemptId: "", externalId: null });
  equal(typeof rejected, typeof accepted); // the type check is the test
});
