// The output of the functions' process, which is written in batches: nothing is lost when the process ends.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../../local/host/project.ts";
import { folderOfFile } from "../../temporary_folder.ts";

/** Runs the process with a function that prints two lines and ends it; returns its error output. */
async function outputOf(end: string): Promise<string> {
  const folder = await folderOfFile("castbase-output-");
  const entrypoint = join(folder, "index.ts");
  await Deno.writeTextFile(
    entrypoint,
    `export default {
      fetch() {
        console.log('{"a":1}');
        console.warn("b", { c: 2 });
        ${end}
        return new Response("sent");
      },
    };`,
  );
  const functions = JSON.stringify([{ name: "probe", entrypoint }]);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", join(repository, "local/functions/host.ts"), functions],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const stderr = new Response(child.stderr).text();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const [port] = /\d+/.exec(new TextDecoder().decode(value))!;
  await fetch(`http://127.0.0.1:${port}/probe/x`).then((response) => response.text()).catch(() => {});
  if (end === "") child.kill("SIGTERM");
  await child.status;
  await reader.cancel();
  return await stderr;
}

for (
  const [how, end] of [
    ["by SIGTERM", ""],
    ["by Deno.exit", "Deno.exit(3);"],
    ["by an uncaught error", 'queueMicrotask(() => { throw new Error("uncaught"); });'],
    ["by an unhandled rejection", 'Promise.reject(new Error("unhandled"));'],
  ]
) {
  Deno.test(`the output of functions is complete after their process ends ${how}`, async () => {
    assert.ok((await outputOf(end)).startsWith('{"a":1}\nb { c: 2 }\n'));
  });
}
