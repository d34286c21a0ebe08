// orval and openapi-python-client make clients of the OpenAPI documents without a warning, which call the running stack.
import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { DOCUMENTS } from "../http/documented_responses.ts";
import { episode, person, podcast, sendRequest, stackInfo } from "../http/harness.ts";
import { VTT } from "../http/api/transcripts.ts";
import { jpeg } from "../image_fixtures.ts";
import { folderOfFile } from "../temporary_folder.ts";
import { pythonPackages } from "./python_packages.ts";

const folder = await folderOfFile("client_generators-"), inFolder = (name: string) => join(folder, name);
for (const [name, { path }] of Object.entries(DOCUMENTS)) {
  const { text } = await sendRequest({ method: "GET", path });
  await Deno.writeTextFile(inFolder(`${name}.json`), text);
}
const COVER = jpeg({ width: 1400, height: 1400 }), TRANSCRIPT = new TextEncoder().encode(VTT);
await Deno.writeFile(inFolder("cover.jpg"), COVER);
await Deno.writeFile(inFolder("transcript.vtt"), TRANSCRIPT);
const caller = await person("owner"), show = await podcast("Generated"), pilot = await episode(show);

interface Output {
  success: boolean;
  stdout: string;
  stderr: string;
}

/** Runs a program in the folder. */
async function run(command: string, args: string[], env: Record<string, string> = {}): Promise<Output> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, cwd: folder, env }).output();
  const [out, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { success, stdout: out, stderr: errors };
}

/** Runs a client, which prints the title of an episode and the URL of the file that it uploaded. */
async function assertCalls(command: string, args: string[], uploaded: Uint8Array) {
  const { success, stdout, stderr } = await run(command, args);
  assert.ok(success, stderr);
  const { title, url } = JSON.parse(stdout);
  assert.equal(title, "Hello, listener");
  assert.deepEqual(await (await fetch(url)).bytes(), uploaded, url);
}

/** Asserts that a generator prints nothing but these lines. */
function assertSilent({ success, stdout, stderr }: Output, expected: RegExp[]) {
  const lines = (stdout + stderr).split("\n").filter((line) => line.trim());
  assert.ok(success, lines.join("\n"));
  assert.deepEqual(lines.filter((line) => !expected.some((pattern) => pattern.test(line))), []);
}

/** orval 7 sends a file as JSON. */
const ORVAL = ["--yes", "--loglevel=error", "--package=orval@8.38.0", "--", "orval"];
const hasOrval = await run("npx", [...ORVAL, "--version"]).then(({ success }) => success, () => false);

const ORVAL_CLIENT = `import { listPublicEpisodes, type listPublicEpisodesResponse } from "./public.ts";
  import { uploadImage } from "./api.ts";

const [token, podcastId] = Deno.args;
const episodes: listPublicEpisodesResponse = await listPublicEpisodes("demo", { limit: 1 });
const title = episodes.status === 200 ? episodes.data.data[0].title : undefined;
const cover = await uploadImage(
  crypto.randomUUID(),
  new Blob([await Deno.readFile("cover.jpg")]),
  { podcastId, imageType: "cover" },
  { headers: { authorization: \`Bearer \${token}\` } },
);
const url: string | undefined = cover.status === 200 ? cover.data.publicUrl : cover.data.error;
// @ts-expect-error: the podcast is required
export const incomplete = () => uploadImage(crypto.randomUUID(), new Blob([]), { imageType: "cover" });
console.log(JSON.stringify({ title, url }));
`;

Deno.test({
  name: "orval makes clients of both documents that compile, read /v1 and upload an image" +
    (hasOrval ? "" : " (npx cannot install orval: no network?)"),
  ignore: !hasOrval,
  async fn() {
    const config = Object.fromEntries(
      Object.keys(DOCUMENTS).map((name) => [name, {
        input: `./${name}.json`,
        output: { target: `./${name}.ts`, client: "fetch", baseUrl: { getBaseUrlFromSpecification: true } },
      }]),
    );
    await Deno.writeTextFile(inFolder("orval.config.cjs"), `module.exports = ${JSON.stringify(config)};`);
    assertSilent(await run("npx", [...ORVAL, "--config", "orval.config.cjs"]), [/orval.* v8\.38\.0 - /, /🎉/]);
    await Deno.writeTextFile(inFolder("client.ts"), ORVAL_CLIENT);
    const args = [
      ...["run", "--check", "--quiet", "--no-lock", "--allow-net=127.0.0.1,localhost", "--allow-read=.", "--config"],
      ...[join(repository, "deno.json"), "client.ts", caller.token, show.id],
    ];
    await assertCalls(Deno.execPath(), args, COVER);
  },
});

/** Media types that openapi-python-client does not know, by those it does. */
const OVERRIDES = {
  "application/json": ["application/json+chapters"],
  "application/octet-stream": [
    ...["audio/mpeg", "audio/mp4", "audio/x-m4a", "audio/wav", "audio/x-wav"],
    ...["image/jpeg", "image/png", "image/webp", "image/gif", "image/x-icon", "image/*"],
    ...["text/vtt", "text/html", "text/plain", "application/x-subrip", "application/rss+xml", "application/xml"],
  ],
};

const python = await pythonPackages(
  "python_clients",
  ["openapi-python-client==0.29.1", "ruff==0.17.6"],
  ["openapi_python_client", "ruff", "httpx"],
);

const PYTHON_CLIENT = `import json, sys, uuid
import castbase_api_client as api, castbase_public_api_client as public
from castbase_api_client.api.media import upload_transcript
from castbase_api_client.types import File
from castbase_public_api_client.api.podcasts import list_public_episodes

url, token, podcast_id, episode_id = sys.argv[1:]
episodes = list_public_episodes.sync("demo", client=public.Client(base_url=url + "/public"), limit=1)
with open("transcript.vtt", "rb") as file:
    upload = upload_transcript.sync(
        uuid.uuid4(),
        client=api.AuthenticatedClient(base_url=url, token=token),
        body=File(payload=file),
        podcast_id=uuid.UUID(podcast_id),
        episode_id=uuid.UUID(episode_id),
    )
print(json.dumps({"title": episodes.data[0].title, "url": upload.public_url}))
`;

Deno.test({
  name: "openapi-python-client makes clients of both documents that read /v1 and upload a transcript" + python.missing,
  ignore: !python.isInstalled,
  async fn() {
    const content_type_overrides = Object.fromEntries(
      Object.entries(OVERRIDES).flatMap(([known, types]) => types.map((type) => [type, known])),
    );
    await Deno.writeTextFile(inFolder("config.yml"), JSON.stringify({ content_type_overrides }));
    const env = { PATH: python.bin + delimiter + Deno.env.get("PATH") }; // it formats with ruff
    for (const name of Object.keys(DOCUMENTS)) {
      assertSilent(
        await run(
          join(python.bin, "openapi-python-client"),
          ["generate", "--meta", "none", "--path", `${name}.json`, "--config", "config.yml"],
          env,
        ),
        [/^Generating /],
      );
    }
    await Deno.writeTextFile(inFolder("client.py"), PYTHON_CLIENT);
    const args = ["client.py", stackInfo.functionsUrl, caller.token, show.id, pilot.id];
    await assertCalls(join(python.bin, "python"), args, TRANSCRIPT);
  },
});
