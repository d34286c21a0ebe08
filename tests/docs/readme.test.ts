// The blocks of README.md and docs/tour.md work as printed: pasted in order into one bash, beside a fresh stack in place
// of `npm start`.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { startTestStack } from "../stack.ts";
import { checkout, hasCurl } from "./checkout.ts";

interface Block {
  language: string;
  text: string;
}

const documents = ["README.md", "docs/tour.md"].map((file) => Deno.readTextFileSync(join(repository, file)));
const blocks: Block[] = [...documents.join("\n").matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({
  language,
  text,
}));
const [start, ...shell] = blocks.filter(({ language }) => language === "sh").map(({ text }) => text);
const typescript = blocks.filter(({ language }) => language === "ts").map(({ text }) => text);

/** Stops a hanging tour: each `wait_for` of the tour gives up by itself, after 60 tries a second apart. */
const HANG_MS = 600_000;

/** Runs a program with this input; both outputs as text. */
async function run(program: string, args: string[], { cwd, input = "" }: { cwd: string; input?: string }) {
  const child = new Deno.Command(program, {
    args,
    cwd,
    env: { NO_COLOR: "1", LC_ALL: "C" }, // a locale that each machine has
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(HANG_MS),
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch(() => {}); // it ended before
  const { code, stdout, stderr } = await child.output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** The errors in JSON responses: SQLSTATEs and codes of PostgREST, or the sentence of an edge function. */
function errorsIn(output: string): string[] {
  const errors = output.matchAll(/"code": ?"([A-Z0-9]{5}|PGRST\d+)"|"(?:error|msg|error_code)": ?"([^"]+)"/g);
  return [...errors].map(([, code, sentence]) => code ?? sentence);
}

/** The errors that a block's comments announce: `# PT428: …`. */
const announcedIn = (block: string) => [...block.matchAll(/# ([A-Z0-9]{5}): /g)].map(([, code]) => code);

Deno.test("README.md's first block starts the stack, and no block is lost on history expansion", () => {
  assert.equal(start, "npm ci && npm start\n");
  assert.ok(shell.length >= 7);
  for (const block of shell) assert.ok(!block.includes("!"), block); // an interactive bash would expand it
});

Deno.test({
  name:
    "the blocks of README.md and docs/tour.md run in bash, one after another, without an error that they do not announce",
  ignore: !hasCurl,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using here = await checkout();
    const { folder } = here;
    assert.equal(typescript.length, 1);
    await Deno.writeTextFile(join(folder, "front_end.ts"), typescript[0]); // "Save this as `front_end.ts`"
    await using _stack = await startTestStack({ dataDir: join(folder, ".data") });

    const border = (n: number) => `==== block ${n} ====`;
    const script = shell.map((block, n) => `echo '${border(n)}'\n${block}`).join("\n") +
      `echo '${border(shell.length)}'\n`;
    const bash = await run("bash", ["-e", "-o", "pipefail", "-s"], { cwd: folder, input: script });
    const outputs = bash.stdout.split(/^==== block \d+ ====$/m).slice(1);
    const last = `${shell[outputs.length - 1]}\n${outputs.at(-1)}\n${bash.stderr}`;
    assert.deepEqual([bash.code, outputs.length, bash.stderr], [0, shell.length + 1, ""], last);
    for (const [n, block] of shell.entries()) {
      assert.deepEqual(errorsIn(outputs[n]), announcedIn(block), `${block}\n${outputs[n]}`);
      assert.doesNotMatch(outputs[n], /^(undefined|null)$/m, block);
    }

    const tour = outputs.join("");
    assert.match(tour, /^<title>Paris to Vienna<\/title>$/m);
    assert.match(tour, /^http:\S+#token=\S+$/m);
    assert.match(tour, /^Vienna to Venice is out: http\S+vienna-to-venice$/m);
    assert.match(tour, /^completed$/m);
    assert.match(tour, /^Import completed in /m);
    assert.match(tour, /^Night Trains: 5 episodes$/m);
    assert.match(tour, /^42501$/m);
  },
});

Deno.test("the TypeScript of docs/tour.md compiles", async () => {
  await using here = await checkout();
  await Deno.writeTextFile(join(here.folder, "front_end.ts"), typescript[0]);
  const checked = await run(Deno.execPath(), ["check", "front_end.ts"], { cwd: here.folder });
  assert.equal(checked.code, 0, checked.stderr);
});
