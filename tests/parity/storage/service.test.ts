// The service's own routes, unknown ones, and those that the local stack lacks.
import { deepStrictEqual as same, match } from "node:assert";
import { assertMembers, refusal, storageTest, type Stored } from "./fixture.ts";

const charset = "application/json; charset=utf-8";
const typeOf = (response: Response) => response.headers.get("content-type");

storageTest("status is 200 without a token, health needs one", async (at) => {
  for (const method of ["GET", "HEAD"]) {
    const response = await fetch(at.url("/status"), { method });
    same([response.status, await response.text()], [200, ""]);
  }
  match(await (await fetch(at.url("/version"))).text(), /^\d+\.\d+/);
  same(await (await at.raw("GET", "/health")).json(), { healthy: true });
  same((await refusal(await fetch(at.url("/health")))).message, "Invalid Compact JWS");
});

storageTest("unknown routes name method and path, in the form of their resource", async (at) => {
  const unknown = async (method: string, path: string) => {
    const response = await at.raw(method, path);
    return [response.status, typeOf(response), await response.json()];
  };
  const message = (route: string) => `Route ${route} not found`;
  const resource = (route: string) => ({
    statusCode: "404",
    error: "Not Found",
    message: message(route),
    code: "InvalidRequest",
  });
  same(await unknown("PATCH", "/bucket/x?y=1"), [404, "application/json", resource("PATCH:/bucket/x?y=1")]);
  same(await unknown("GET", "/object/move"), [404, "application/json", resource("GET:/object/move")]);
  same(await unknown("GET", "/nothing"), [
    404,
    charset,
    { message: message("GET:/nothing"), error: "Not Found", statusCode: 404 },
  ]);
  same(await unknown("GET", "/bucket/%ff"), [
    400,
    "application/json",
    {
      error: "Bad Request",
      code: "FST_ERR_BAD_URL",
      message: "'/bucket/%ff' is not a valid url component",
      statusCode: 400,
    },
  ]);
});

storageTest("JSON names its character set, and HEAD has the headers of GET", async (at) => {
  same(typeOf(await at.raw("GET", "/bucket")), charset);
  same(typeOf(await at.get("lt-nowhere/x")), charset);
  for (const path of [`/bucket/${at.open}`, "/bucket/lt-nowhere"]) {
    const headers = { "accept-encoding": "identity" };
    const [get, head] = [await at.raw("GET", path, { headers }), await at.raw("HEAD", path, { headers })];
    const length = (await get.text()).length;
    same([head.status, head.headers.get("content-length"), await head.text()], [get.status, String(length), ""]);
  }
});

/** An object's information with its headers. */
async function info(at: Stored, path: string, method: string, headers: HeadersInit = {}) {
  const response = await fetch(at.url(`/object/info/${path}`), { method, headers });
  const served = ["etag", "cache-control", "last-modified"].map((name) => response.headers.get(name));
  return { status: response.status, served, text: await response.text() };
}

storageTest("info has the object's caching headers, and {} for absent metadata", async (at) => {
  const key = "informed";
  await at.raw("PUT", `/object/${at.open}/${key}`, { body: "hello world", headers: { "cache-control": "max-age=9" } });
  const [row] = await at.sql`select * from storage.objects where bucket_id = ${at.open} and name = ${key}`;
  const modified = new Date(row.metadata.lastModified).toUTCString();
  const served = ['"5eb63bbbe01eeed093cb22bb8f5acdc3"', "max-age=9", modified];
  const secret = { apikey: at.stack.secretKey };
  for (const [kind, headers] of [["", {}], ["authenticated/", secret]] as const) {
    for (const method of ["GET", "HEAD"]) {
      const { text, ...rest } = await info(at, `${kind}${at.open}/${key}`, method, headers);
      same(rest, { status: 200, served });
      if (method === "GET") {
        assertMembers(JSON.parse(text), {
          id: row.id,
          name: key,
          version: row.version,
          bucket_id: at.open,
          size: 11,
          content_type: "text/plain;charset=UTF-8",
          cache_control: "max-age=9",
          etag: served[0],
          metadata: {},
          last_modified: row.updated_at.toISOString(),
          created_at: row.created_at.toISOString(),
        });
      }
    }
  }
  same((await info(at, `public/${at.open}/${key}`, "GET")).served, served);
  // The service has no such route, and takes "info" for a bucket
  same((await info(at, `public/${at.open}/${key}`, "HEAD")).status, 400);
  same((await info(at, `${at.closed}/${key}`, "HEAD")).status, 400);
});

storageTest("an upload keeps its X-Robots-Tag and a wrong one is rejected", async (at) => {
  const put = (tag: string) =>
    at.raw("PUT", `/object/${at.open}/robots`, { body: "x", headers: { "x-robots-tag": tag } });
  same((await put("noindex, max-snippet: 5, unavailable_after: Mon, 01 Jan 2035 00:00:00 GMT")).status, 200);
  const kept = (await at.get(`${at.open}/robots`)).headers.get("x-robots-tag");
  same(kept, "noindex, max-snippet: 5, unavailable_after: Mon, 01 Jan 2035 00:00:00 GMT");
  same((await put("googlebot: nofollow")).status, 200);
  same((await put("noindex,")).status, 200);
  same((await put("googlebot: noindex, otherbot: max-snippet: 5")).status, 200);
  for (
    const tag of [
      "zzz",
      "max-snippet: x",
      "noindex,,nofollow",
      "googlebot:",
      "googlebot: zzz",
      "unavailable_after: never",
    ]
  ) {
    const { error, message } = await refusal(await put(tag));
    same(error, "invalid_x_robots_tag");
    match(message, /^Invalid X-Robots-Tag header: /);
  }
  const { message } = await refusal(await put("zzz"));
  same(message, 'Invalid X-Robots-Tag header: Invalid X-Robots-Tag rule: "zzz"');
});

storageTest("a client with an older copy is told to revalidate", async (at) => {
  await at.raw("PUT", `/object/${at.open}/older`, { body: "x", headers: { "cache-control": "max-age=60" } });
  const older = async (method: string) =>
    (await at.get(`${at.open}/older`, { "if-none-match": '"older"' }, method)).headers.get("cache-control");
  same(await older("GET"), "max-age=60, stale-while-revalidate=30");
  same(await older("HEAD"), "max-age=60, must-revalidate");
});
