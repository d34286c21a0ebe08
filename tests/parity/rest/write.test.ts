// Writing tables through the stack as PostgREST does it.
import { deepStrictEqual as same } from "node:assert";
import { restTest } from "./fixture.ts";

restTest("an insert returns no content, or the stored row", async ({ ana }) => {
  const quiet = await ana.from("lt_episodes").insert({ show_id: 1, title: "New" });
  same([quiet.status, quiet.data], [201, null]);
  const shown = await ana.from("lt_shows").insert({ title: "Delta" }).select("title, status, notes, tags").single();
  same([shown.status, shown.data], [201, { title: "Delta", status: "draft", notes: {}, tags: [] }]);
});

restTest("JSON, arrays, bytes and large numbers are stored unchanged", async ({ ana, sql }) => {
  for (const notes of [{ a: ["it's", null] }, [1, "[]"], "[1]", '{"a":1}', "plain", 5, true]) {
    const { data, error } = await ana.from("lt_shows").update({ notes }).eq("id", 1).select("notes").single();
    same([error, data!.notes], [null, notes]);
  }
  const { error } = await ana.from("lt_shows").insert({
    title: "Epsilon",
    tags: ["a,b", 'c"d', "null"],
    airs_at: ["2026-01-01T00:00:00Z"],
    cover: "\\x0102",
    plays: "9007199254740993",
    rating: "12.30",
  });
  same(error, null);
  const [row] = await sql`select tags, airs_at::text, cover::text, plays::text, rating::text
    from public.lt_shows where title = 'Epsilon'`;
  same({ ...row }, {
    tags: ["a,b", 'c"d', "null"],
    airs_at: '{"2026-01-01 00:00:00+00"}',
    cover: "\\x0102",
    plays: "9007199254740993",
    rating: "12.30",
  });
});

restTest("a column that a row omits is null, or its default with missing=default", async ({ ana, sql }) => {
  const rows = [{ title: "Zeta", rating: 1 }, { title: "Eta", plays: 2 }];
  const nulls = await ana.from("lt_shows").insert(rows).select("title, rating, plays").order("title");
  same(nulls.data, [{ title: "Eta", rating: null, plays: 2 }, { title: "Zeta", rating: 1, plays: null }]);
  const refused = await ana.from("lt_shows").insert([{ title: "Theta", status: "live" }, { title: "Iota" }]);
  same([refused.status, refused.error!.code], [400, "23502"]);
  const defaults = await ana.from("lt_shows")
    .insert([{ title: "Theta", status: "live" }, { title: "Iota", rating: 3 }], { defaultToNull: false })
    .select("title, status, rating").order("title");
  const stored = [{ title: "Iota", status: "draft", rating: 3 }, { title: "Theta", status: "live", rating: null }];
  same(defaults.data, stored);
  const kept =
    await sql`select title, status, rating::int from public.lt_shows where title in ('Theta', 'Iota') order by 1`;
  same(kept.map((row) => ({ ...row })), stored);
});

restTest("rows with different keys need columns=", async ({ raw, user }) => {
  const response = await raw("/lt_episodes", {
    method: "POST",
    headers: { authorization: `Bearer ${user.token}`, "content-type": "application/json" },
    body: '[{"show_id":1,"title":"x"},{"title":"y"}]',
  });
  same([response.status, (await response.json()).code], [400, "PGRST102"]);
});

restTest("an update returns changed rows that no longer match its filter", async ({ ana }) => {
  const changed = await ana.from("lt_shows").update({ status: "live" }).eq("id", 2).eq("status", "draft").select("id");
  same([changed.status, changed.data], [200, [{ id: 2 }]]);
  const again = await ana.from("lt_shows").update({ status: "live" }).eq("id", 2).eq("status", "draft").select("id");
  same(again.data, []);
  const embedded = await ana.from("lt_shows").update({ status: "draft" }).eq("id", 2).eq("status", "live")
    .select("state:status, lt_episodes(title)").single();
  same(embedded.data, { state: "draft", lt_episodes: [{ title: "Three" }] });
  const counted = await ana.from("lt_shows").update({ status: "live" }, { count: "exact" }).in("id", [1, 2]);
  same([counted.status, counted.count], [204, 2]);
});

restTest("inserts and deletes return rows with embedded tables", async ({ ana }) => {
  const inserted = await ana.from("lt_episodes").insert({ show_id: 2, title: "Four" })
    .select("name:title, lt_shows(title)").single();
  same([inserted.status, inserted.data], [201, { name: "Four", lt_shows: { title: "Beta" } }]);
  const hosts = await ana.from("lt_hosts").insert([{ show_id: 3, person_id: 1 }, { show_id: 3, person_id: 2 }])
    .select("role, lt_people(name)").order("person_id");
  same(hosts.data, [{ role: "host", lt_people: { name: "Ana" } }, { role: "host", lt_people: { name: "Vic" } }]);
  const deleted = await ana.from("lt_shows").delete().eq("id", 1).select("title, lt_episodes(id)").single();
  same([deleted.status, deleted.data], [200, { title: "Alpha", lt_episodes: [{ id: 1 }, { id: 2 }] }]);
  same((await ana.from("lt_shows").select("id").eq("id", 1)).data, []);
});

restTest("an update with single() of another number of rows is rolled back", async ({ ana, sql }) => {
  for (const select of ["id", "id, lt_episodes(id)"]) {
    const { status, error } = await ana.from("lt_shows").update({ status: "gone" }).in("id", [1, 2]).select(select)
      .single();
    same([status, error!.code], [406, "PGRST116"]);
    same((await sql`select from public.lt_shows where status = 'gone'`).length, 0);
  }
  const none = await ana.from("lt_shows").update({ status: "gone" }).eq("id", 9).select("id, lt_episodes(id)").single();
  same([none.status, none.error!.code], [406, "PGRST116"]);
});

restTest("an upsert inserts new rows and replaces existing ones", async ({ ana }) => {
  const replaced = await ana.from("lt_hosts").upsert({ show_id: 1, person_id: 1, role: "chief" }).select().single();
  same([replaced.status, replaced.data], [200, { show_id: 1, person_id: 1, role: "chief" }]);
  const both = await ana.from("lt_hosts")
    .upsert([{ show_id: 3, person_id: 1, role: "host" }, { show_id: 1, person_id: 1, role: "host" }]).select("role");
  same([both.status, both.data!.length], [201, 2]);
  const kept = await ana.from("lt_hosts").upsert({ show_id: 1, person_id: 1, role: "x" }, { ignoreDuplicates: true })
    .select();
  same(kept.data, []);
  const byTitle = await ana.from("lt_shows").upsert({ title: "Alpha", status: "draft" }, { onConflict: "title" })
    .select("id, status").single();
  same(byTitle.data, { id: 1, status: "draft" });
});

restTest("an update or delete without a filter is rejected, as on the platform", async ({ ana, admin, sql }) => {
  for (const client of [ana, admin]) {
    const update = await client.from("lt_episodes").update({ title: "all" });
    same([update.status, update.error!.code, update.error!.message], [400, "21000", "UPDATE requires a WHERE clause"]);
    const remove = await client.from("lt_episodes").delete();
    same([remove.status, remove.error!.code, remove.error!.message], [400, "21000", "DELETE requires a WHERE clause"]);
  }
  same((await sql`select from public.lt_episodes where title <> 'all'`).length, 3);
});

restTest("a violated constraint has its status and SQLSTATE", async ({ ana }) => {
  const shows = ana.from("lt_shows"), episodes = ana.from("lt_episodes");
  const duplicate = await shows.insert({ title: "Alpha" });
  const blank = await shows.insert({ title: "" });
  const responses = [
    duplicate,
    blank,
    await episodes.insert({ show_id: 999, title: "x" }),
    await episodes.insert({ show_id: 1 }),
    await episodes.insert({ show_id: "x", title: "x" }),
    await shows.insert({ nope: 1 }),
  ];
  same(responses.map(({ status, error }) => `${status} ${error!.code}`), [
    "409 23505",
    "400 23514",
    "409 23503",
    "400 23502",
    "400 22P02",
    "400 PGRST204",
  ]);
  same(duplicate.error!.details, "Key (title)=(Alpha) already exists.");
  same(blank.error!.message.includes("title_is_not_blank"), true);
});

restTest("PUT inserts or replaces the row of the key in its filters", async ({ raw, user }) => {
  const put = (query: string, body: unknown) =>
    raw(`/lt_hosts?${query}`, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${user.token}`,
        "content-type": "application/json",
        prefer: "return=representation",
      },
      body: JSON.stringify(body),
    });
  const key = "show_id=eq.3&person_id=eq.1";
  for (const [role, status] of [["guest", 201], ["host", 200]] as const) {
    const response = await put(key, { show_id: 3, person_id: 1, role });
    same([response.status, await response.json()], [status, [{ show_id: 3, person_id: 1, role }]]);
  }
  const other = await put(key, { show_id: 3, person_id: 2, role: "host" });
  same([other.status, (await other.json()).code], [400, "PGRST115"]);
  const half = await put("show_id=eq.3", { show_id: 3, person_id: 2 });
  same([half.status, (await half.json()).code], [405, "PGRST105"]);
  const paged = await put(`${key}&limit=1`, { show_id: 3, person_id: 1 });
  same([paged.status, (await paged.json()).code], [400, "PGRST114"]);
});

restTest("an insert accepts CSV and returns Location with return=headers-only", async ({ raw, user, sql }) => {
  const authorization = `Bearer ${user.token}`;
  const csv = await raw("/lt_episodes", {
    method: "POST",
    headers: { authorization, "content-type": "text/csv" },
    body: 'show_id,title,length\n1,"A, ""b""",NULL\n2,C,7',
  });
  same(csv.status, 201);
  const rows = await sql`select title, length from public.lt_episodes where id > 100 order by id`;
  same(rows.map((row) => ({ ...row })), [{ title: 'A, "b"', length: null }, { title: "C", length: 7 }]);
  const located = await raw("/lt_hosts", {
    method: "POST",
    headers: { authorization, "content-type": "application/json", prefer: "return=headers-only" },
    body: '{"show_id":3,"person_id":2}',
  });
  same([located.status, located.headers.get("location")], [201, "/lt_hosts?show_id=eq.3&person_id=eq.2"]);
});

restTest("an update without columns changes and returns no row", async ({ ana }) => {
  const { status, data } = await ana.from("lt_episodes").update({}).eq("id", 1).select("title");
  same([status, data], [200, []]);
});

restTest("a view has the primary key of its table, for upserts and Location", async ({ admin, sql, stack, raw }) => {
  const one = { episode_id: 1, title: "New", show_id: 1 };
  const { status, data } = await admin.from("lt_titles").upsert(one).select();
  same([status, data], [200, [one]]);
  const headers = { apikey: stack.secretKey, prefer: "return=headers-only", "content-type": "application/json" };
  const body = JSON.stringify({ ...one, episode_id: 9 });
  const inserted = await raw("/lt_titles", { method: "POST", headers, body });
  same([inserted.status, inserted.headers.get("location")], [201, "/lt_titles?episode_id=eq.9"]);
  same((await sql`select from public.lt_episodes where title = 'New'`).length, 2);
});
