// While an operator replaces the project's API keys, functions with the old and with the new ones call its services.
import assert from "node:assert/strict";
import { startFunctions } from "../functions.ts";
import { startHttpServer } from "../http_server.ts";
import { beginBody, path } from "./api/direct_upload.ts";
import { fetchDocumented } from "./documented_responses.ts";
import { episode, person, podcast, stackInfo } from "./harness.ts";

const { publishableKey, secretKey } = stackInfo;

/** The project's gateway, with API keys of its own. */
function startGateway() {
  const keys = new Map([
    ["sb_publishable_old", publishableKey],
    ["sb_secret_old", secretKey],
    ["sb_publishable_new", publishableKey],
    ["sb_secret_new", secretKey],
  ]);
  const server = startHttpServer(async (request) => {
    const { method, body, url } = request, { pathname, search } = new URL(url), headers = new Headers(request.headers);
    const key = headers.get("apikey") ?? "", known = keys.get(key);
    if (!known) return Response.json({ message: "Invalid API key" }, { status: 401 });
    headers.set("apikey", known);
    if (headers.get("authorization") === `Bearer ${key}`) headers.set("authorization", `Bearer ${known}`);
    const response = await fetch(stackInfo.url + pathname + search, { method, headers, body });
    return Response.json(await response.json(), { status: response.status });
  });
  return { ...server, keys };
}

Deno.test("while API keys replace others, both are in use, and the old ones can then be deleted", async () => {
  await using gateway = startGateway();
  const start = (names: string[], more: Record<string, string> = {}) => {
    const keysOf = (kind: string) =>
      JSON.stringify(
        Object.fromEntries(names.map((name) => [name, `sb_${kind}_${name === "default" ? "old" : "new"}`])),
      );
    return startFunctions(stackInfo, {
      SUPABASE_URL: gateway.url,
      SUPABASE_PUBLISHABLE_KEYS: keysOf("publishable"),
      SUPABASE_SECRET_KEYS: keysOf("secret"),
      SUPABASE_JWKS: '{"keys":[]}', // Auth verifies each token, for callers who have the publishable key
      ...more,
    }, { only: "api" });
  };
  const names = { PUBLISHABLE_KEY_NAME: "of_2027", SECRET_KEY_NAME: "of_2027" };
  await using before = await start(["default"]);
  await using during = await start(["default", "of_2027"], names);
  await using after = await start(["of_2027"]);
  const show = await podcast("Rotated keys"), pilot = await episode(show);
  /** Begins an upload, which Storage signs for the secret key. */
  async function status({ url }: { url: string }, as: string) {
    const response = await fetchDocumented(url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${(await person(as)).token}`, "content-type": "application/json" },
      body: JSON.stringify(beginBody(show, pilot)),
    });
    await response.body?.cancel();
    return response.status;
  }
  assert.deepEqual([await status(before, "admin"), await status(during, "admin")], [200, 200]);
  for (const key of gateway.keys.keys()) if (key.endsWith("old")) gateway.keys.delete(key);
  assert.deepEqual([await status(during, "owner"), await status(after, "owner")], [200, 200]);
  assert.equal(await status(before, "owner"), 503, "which shows that the gateway rejects the old keys");
});
