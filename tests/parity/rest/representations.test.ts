// Data representations: a domain whose casts from and to json and text are PostgREST's form of its values.
import { deepStrictEqual as same } from "node:assert";
import { restTest } from "./fixture.ts";

restTest("a domain with casts is read, filtered and written in its own form", async ({ admin, sql }) => {
  const paints = () => admin.from("lt_paints");
  same((await paints().select().order("id")).data, [
    { id: 1, color: "#0000ff", grade: 1, show_id: 1 },
    { id: 2, color: "#00ff00", grade: 2, show_id: null },
  ]);
  same((await paints().select("color").eq("color", "#00ff00")).data, [{ color: "#00ff00" }]);
  same((await paints().select("shade:color").in("color", ["#0000ff", "#ffffff"])).data, [{ shade: "#0000ff" }]);
  const embedded = await admin.from("lt_shows").select("lt_paints(color)").eq("id", 1).single();
  same(embedded.data, { lt_paints: [{ color: "#0000ff" }] });
  const added = await paints().insert({ id: 3, color: "#010000" }).select("color").single();
  same(added.data, { color: "#010000" });
  same([...await sql`select color from public.lt_paints where id = 3`], [{ color: 65536 }] as never);
  const changed = await paints().update({ color: "#000001" }).eq("color", "#010000").select("id, color");
  same(changed.data, [{ id: 3, color: "#000001" }]);
});

restTest("an absent column takes the default of its domain", async ({ admin }) => {
  const rows = [{ id: 4 }, { id: 5, grade: 1 }];
  const { data } = await admin.from("lt_paints").insert(rows, { defaultToNull: false }).select("grade");
  same(data, [{ grade: 5 }, { grade: 1 }]);
});
