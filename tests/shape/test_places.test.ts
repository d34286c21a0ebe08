// A test lies where its subject lies (tests/README.md). pgtap_files.test.ts checks tests/sql.
import { deepStrictEqual as deepEqual } from "node:assert";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { sourcePaths } from "../source_files.ts";
import { importsBelow, reachable } from "./imports.ts";

const imports = importsBelow("tests");

/** Whether a test, or a helper that it imports, imports a file of a folder or names its path. */
function isAbout(folder: string, file: string): boolean {
  const used = reachable([file], (one) => (imports.get(one) ?? []).flatMap(({ path }) => path ?? []));
  return [...used].some((path) =>
    path.startsWith(`${folder}/`) ||
    imports.has(path) && Deno.readTextFileSync(join(repository, path)).includes(`"${folder}/`)
  );
}

const foldersIn = (path: string) =>
  [...Deno.readDirSync(join(repository, path))].filter(({ isDirectory }) => isDirectory).map(({ name }) => name);

Deno.test("a test of a folder of functions/, of local/ and of scripts/ uses a file of it", () => {
  const rooms = new Map([["local", "local"], ["scripts", "scripts"]]);
  for (const room of foldersIn("functions")) {
    if (room === "browser") continue; // tests/browser opens pages, whose scripts are there
    rooms.set(room, `functions/${room}`);
    for (const folder of foldersIn(`functions/${room}`)) rooms.set(`${room}/${folder}`, `functions/${room}/${folder}`);
  }
  const strays = [...rooms].flatMap(([name, room]) =>
    sourcePaths("tests", new RegExp(`^tests/${name}/.*\\.test\\.ts$`)).filter((file) => !isAbout(room, file))
  );
  deepEqual(strays, []);
});
