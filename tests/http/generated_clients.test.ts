// openapi-typescript makes a client of each OpenAPI document, which compiles and calls the running stack.
import assert from "node:assert/strict";
import { join } from "node:path";
import openapiTS, { astToString } from "npm:openapi-typescript@7.13.0";
import { repository } from "../../local/host/project.ts";
import { DOCUMENTS } from "./documented_responses.ts";
import { callRpc, person, sendRequest, stackInfo } from "./harness.ts";

// below the repository, whose packages the client imports
const folder = await Deno.makeTempDir({ dir: join(repository, ".cache"), prefix: "generated_clients" });
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
const caller = await person("generated-clients");
const { id: podcastId } = await callRpc<{ id: string }>(caller, "create_podcast", { title: "Generated" });

/**
 * Uses what the types promise: a wrong name, or a missing field, is an error of the compiler. The indented files exist
 * in the folder of the test only.
 */
const CLIENT = `import createClient from "npm:openapi-fetch@0.17.0";
  import type { paths as Api } from "./api.d.ts";
  import type { paths as PublicApi } from "./public.d.ts";

const [apiUrl, publicUrl, token, podcastId] = Deno.args;
const api = createClient<Api>({ baseUrl: apiUrl, headers: { authorization: \`Bearer \${token}\` } });
const publicApi = createClient<PublicApi>({ baseUrl: publicUrl });

const episodes = await publicApi.GET("/v1/podcasts/{slug}/episodes", {
  params: { path: { slug: "demo" }, query: { limit: 1 } },
});
const title: string | undefined = episodes.data?.data[0].title;
const created = await api.POST("/api/booking-links", {
  body: { podcast_id: podcastId, name: "Talk", timezone: "Europe/Berlin" },
});
const slug: string | undefined = created.data?.data.slug;
const rejected = await api.PUT("/api/booking-links/{id}", {
  params: { path: { id: created.data!.data.id } },
  body: { name: "Talk", surprise: 1 } as { name: string },
});
// @ts-expect-error: the time zone is required
export const incomplete = () => api.POST("/api/booking-links", { body: { podcast_id: podcastId, name: "Talk" } });
const code: string | undefined = rejected.error?.details;
const upload = await api.PUT("/api/media/upload/{uploadId}", {
  params: { path: { uploadId: podcastId }, query: { podcastId, imageType: "header" } },
  body: "not an image",
  bodySerializer: (body) => body,
  headers: { "content-type": "image/png" },
});
console.log(JSON.stringify({ title, slug, rejected: rejected.response.status, code, upload: upload.response.status }));
`;

Deno.test("openapi-typescript makes clients of both documents that compile and make calls", async () => {
  for (const [name, { path }] of Object.entries(DOCUMENTS)) {
    const { text } = await sendRequest({ method: "GET", path });
    await Deno.writeTextFile(join(folder, `${name}.d.ts`), astToString(await openapiTS(text)));
  }
  await Deno.writeTextFile(join(folder, "client.ts"), CLIENT);
  const { functionsUrl } = stackInfo;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--check", "--quiet", "--no-lock", "--allow-net=127.0.0.1,localhost", "--config"],
      ...[join(repository, "deno.json"), join(folder, "client.ts")],
      ...[functionsUrl, `${functionsUrl}/public`, caller.token, podcastId],
    ],
    cwd: repository,
  }).output();
  const output = new TextDecoder().decode(stdout);
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  assert.deepEqual(JSON.parse(output), {
    title: "Hello, listener",
    slug: "talk",
    rejected: 400,
    code: 'Unrecognized key: "surprise"',
    upload: 400,
  });
});
