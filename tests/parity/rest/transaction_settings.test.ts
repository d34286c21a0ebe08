// Query plans and transaction ends, which settings of the role authenticator allow.
import { deepStrictEqual as same, match, ok } from "node:assert";
import { type Rest, restTest } from "./fixture.ts";
import { withSettings } from "./pgrst_settings.ts";

const plan = "application/vnd.pgrst.plan";

const countEpisodes = async ({ sql }: Rest) => (await sql`select from public.lt_episodes`).length;

const withPlans = (rest: Rest, run: () => Promise<void>) =>
  withSettings(
    rest,
    { db_plan_enabled: "true" },
    async () => (await rest.raw("/lt_people", { headers: { accept: plan } })).ok,
    run,
  );

restTest("A query plan is not acceptable without the setting", async ({ raw }) => {
  const response = await raw("/lt_people", { headers: { accept: `${plan}+json; options=analyze` } });
  same([response.status, await response.json()], [406, {
    code: "PGRST107",
    details: null,
    hint: null,
    message:
      'None of these media types are available: application/vnd.pgrst.plan+json; for="application/json"; options=analyze',
  }]);
  const second = await raw("/lt_people?select=id", { headers: { accept: `${plan}, text/csv;q=0.5` } });
  same([second.status, await second.text()], [200, "id\n1\n2"]);
});

restTest("a query plan is text or JSON with the requested options", async (rest) => {
  await withPlans(rest, async () => {
    const text = await rest.raw("/lt_people?select=name&id=eq.1", { headers: { accept: `${plan};options=verbose` } });
    same(
      [text.status, text.headers.get("content-type"), text.headers.get("content-range")],
      [200, `${plan}+text; for="application/json"; options=verbose; charset=utf-8`, null],
    );
    match(await text.text(), /^Aggregate .*\n[^]*Output:[^]*lt_people[^]*\n$/);
    const accept = `${plan}+json; for="text/csv"; options=analyze|buffers|wal|settings`;
    const json = await rest.raw("/lt_people", { headers: { accept } });
    same(
      json.headers.get("content-type"),
      `${plan}+json; for="text/csv"; options=analyze|settings|buffers|wal; charset=utf-8`,
    );
    const [{ Plan, Settings, "Execution Time": time }] = await json.json();
    ok(Plan["Actual Rows"] === 1 && "WAL Bytes" in Plan && Settings.search_path && time > 0);
    const explained = await rest.anon.from("lt_shows").select("id").explain({ format: "json" });
    ok((explained.data as unknown as { Plan: unknown }[])[0].Plan);
  });
});

restTest("the plan of a write or call changes nothing, unless it is analyzed", async (rest) => {
  await withPlans(rest, async () => {
    const remove = (accept: string) =>
      rest.raw("/lt_episodes?id=eq.1", {
        method: "DELETE",
        headers: { accept, authorization: `Bearer ${rest.user.token}` },
      });
    match(await (await remove(plan)).text(), /Delete on/);
    same(await countEpisodes(rest), 3);
    match(await (await remove(`${plan}; options=analyze`)).text(), /actual time/);
    same(await countEpisodes(rest), 2);
    match(await (await rest.raw("/rpc/lt_greet", { headers: { accept: plan } })).text(), /^Aggregate/);
  });
});

restTest("Prefer: tx is ignored without the setting", async (rest) => {
  const { ana, raw } = rest;
  same((await ana.from("lt_episodes").delete().eq("id", 1).rollback().select()).data!.length, 1);
  same(await countEpisodes(rest), 2);
  const strict = await raw("/lt_people", { headers: { prefer: "handling=strict, tx=rollback" } });
  same([strict.status, strict.headers.get("preference-applied")], [200, "handling=strict"]);
});

restTest("Prefer: tx=rollback undoes a write whose response is complete", async (rest) => {
  const { ana, sql, raw } = rest;
  const isRead = async () =>
    (await raw("/lt_people", { headers: { prefer: "tx=commit" } })).headers.get("preference-applied") === "tx=commit";
  await withSettings(rest, { db_tx_end: "commit-allow-override" }, isRead, async () => {
    const added = await ana.from("lt_episodes").insert({ show_id: 1, title: "Four" }).select("title").rollback();
    same([added.status, added.data], [201, [{ title: "Four" }]]);
    same((await ana.from("lt_episodes").delete().gt("id", 0).rollback()).status, 204);
    same((await ana.rpc("lt_publish_all").rollback()).data.length, 3);
    same((await sql`select from public.lt_episodes where published_at is null`).length, 2);
    same(await countEpisodes(rest), 3);
    const applied = await raw("/lt_episodes?id=eq.1", {
      method: "PATCH",
      headers: {
        prefer: "tx=rollback, return=representation, count=exact",
        "content-type": "application/json",
        authorization: `Bearer ${rest.user.token}`,
      },
      body: '{"title": "Changed"}',
    });
    same(applied.headers.get("preference-applied"), "return=representation, count=exact, tx=rollback");
    same((await applied.json())[0].title, "Changed");
    same((await sql`select from public.lt_episodes where title = 'One'`).length, 1);
    same((await ana.from("lt_episodes").delete().eq("id", 1)).status, 204);
    same(await countEpisodes(rest), 2);
  });
});
