import assert from "node:assert/strict";
import { join } from "node:path";
import { folderOfFile, prefixOfProcess, removeAbandonedFolders } from "./temporary_folder.ts";

Deno.test("removeAbandonedFolders removes the folders of ended processes only", async () => {
  const parent = await folderOfFile("castbase-folders-");
  const ended = new Deno.Command(Deno.execPath(), { args: ["--version"], stdout: "null" }).spawn();
  await ended.status;
  const kept = [`${prefixOfProcess("a-")}x`, "a-x", "a-x-1-", `b-${ended.pid}-x`];
  for (const name of [...kept, `a-${ended.pid}-x`]) await Deno.mkdir(join(parent, name, "data"), { recursive: true });
  await removeAbandonedFolders(parent, "a-");
  assert.deepEqual([...Deno.readDirSync(parent)].map(({ name }) => name).sort(), kept.sort());
});
