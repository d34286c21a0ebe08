// The stored bytes on disk.
import { deepStrictEqual as same, rejects } from "node:assert";
import { join } from "node:path";
import { openFiles } from "../../../local/storage/files.ts";
import { folderOfFile } from "../../temporary_folder.ts";

async function* bytes(...texts: string[]) {
  for (const text of texts) yield new TextEncoder().encode(text);
}

Deno.test("files are stored by version, copied by link, and deleted", async () => {
  const directory = await folderOfFile("castbase-files-");
  const files = await openFiles(directory, true);
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
  same(await files.write(first, bytes("hello ", "world")), { size: 11, md5: "5eb63bbbe01eeed093cb22bb8f5acdc3" });
  await files.copy(first, second);
  await files.remove([first, null, crypto.randomUUID()]);
  same(await files.read(first, 0, 11), undefined);
  same(await new Response(await files.read(second, 6, 5)).text(), "world");
  same(await new Response(await files.read(second, 2, 3)).text(), "llo");
});

Deno.test("interrupted writes leave no file, also after a crash", async () => {
  const directory = await folderOfFile("castbase-files-");
  const incoming = join(directory, "incoming");
  const files = await openFiles(directory, true);
  await rejects(
    files.write(
      crypto.randomUUID(),
      async function* () {
        yield* bytes("half");
        throw new Error("gone");
      }(),
    ),
    /gone/,
  );
  same([...Deno.readDirSync(incoming)], []);
  await Deno.writeTextFile(join(incoming, "left"), "half");
  await openFiles(directory, true);
  same([...Deno.readDirSync(incoming)], []);
});
