// Buckets: what a request must have, and what the service stores and returns.
import { deepStrictEqual as same, match, ok } from "node:assert";
import { refusal, status, storageTest, type Stored } from "./fixture.ts";

const json = { "content-type": "application/json" };
const send = (at: Stored, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  at.raw(method, path, { ...body !== undefined && { body: JSON.stringify(body), headers: { ...json, ...headers } } });
const create = async (at: Stored, body: unknown) => await refusal(await send(at, "POST", "/bucket", body));

const invalid = (message: string) => ({
  http: 400,
  statusCode: "400",
  error: "Error",
  code: "InvalidRequest",
  message,
});
const invalidName = {
  http: 400,
  statusCode: "400",
  error: "Invalid Input",
  code: "InvalidBucketName",
  message: "Bucket name invalid",
};
const duplicate = {
  http: 400,
  statusCode: "409",
  error: "Duplicate",
  code: "BucketAlreadyExists",
  message: "The resource already exists",
};

storageTest("a bucket's request needs a name and values of the right type", async (at) => {
  same(await create(at, {}), invalid("body must have required property 'name'"));
  same(await create(at, { id: "lt-no-name" }), invalid("body must have required property 'name'"));
  same(await create(at, []), invalid("body must be object"));
  same(await create(at, { name: "lt-x", public: "yes" }), invalid("body/public must be boolean"));
  same(
    await create(at, { name: "lt-x", type: "VECTOR" }),
    invalid("body/type must be equal to one of the allowed values"),
  );
  match((await create(at, { name: "lt-x", file_size_limit: "5MiB" })).message, /must match a schema in anyOf$/);
  const broken = await at.raw("POST", "/bucket", { body: "{", headers: json });
  same(await refusal(broken), {
    http: 400,
    statusCode: "400",
    error: "FastifyError",
    code: "InvalidRequest",
    message: "Body is not valid JSON but content-type is set to 'application/json'",
  });
  same((await refusal(await at.raw("POST", "/bucket", { body: "{}" }))).message, "body must be object");
});

storageTest("numbers and booleans in a bucket's request may be text", async (at) => {
  const id = await at.bucket("text", { public: false });
  same((await send(at, "PUT", `/bucket/${id}`, { public: "true", file_size_limit: "123" })).status, 200);
  const { data } = await at.admin.storage.getBucket(id);
  same([data!.public, data!.file_size_limit], [true, 123]);
  same((await send(at, "PUT", `/bucket/${id}`, { allowed_mime_types: "image/png" })).status, 200);
  same((await at.admin.storage.getBucket(id)).data!.allowed_mime_types, ["image/png"]);
});

storageTest("bucket names have no slash, outer space or reserved end, and at most 100 characters", async (at) => {
  for (const name of ["", "a/b", "ü", " lt-lead", "lt-trail ", "lt--table-s3", "n".repeat(101)]) {
    same(await create(at, { name }), invalidName);
  }
});

storageTest("a bucket accepts no malformed MIME type and no limit above the project's", async (at) => {
  const id = await at.bucket("limits", { public: false });
  const requests: [method: string, path: string][] = [["POST", "/bucket"], ["PUT", `/bucket/${id}`]];
  for (const [method, path] of requests) {
    const refused = async (body: object) => await refusal(await send(at, method, path, { name: "lt-x", ...body }));
    for (const type of ["nope", "image/"]) {
      same(await refused({ allowed_mime_types: [type] }), {
        http: 400,
        statusCode: "415",
        error: "invalid_mime_type",
        code: "InvalidMimeType",
        message: `mime type ${type} is not supported`,
      });
    }
    for (const limit of [1e15, "900000GB"]) {
      same(await refused({ file_size_limit: limit }), {
        http: 400,
        statusCode: "413",
        error: "Payload too large",
        code: "EntityTooLarge",
        message: "The object exceeded the maximum allowed size",
      });
    }
  }
  const types = ["audio/*", "image/png; charset=utf-8", "*"];
  same((await send(at, "PUT", `/bucket/${id}`, { allowed_mime_types: [...types, ""] })).status, 200);
  same((await at.admin.storage.getBucket(id)).data!.allowed_mime_types, types);
});

storageTest("a bucket of an existing id or name is a duplicate", async (at) => {
  same(await create(at, { name: at.open }), duplicate);
  same(await create(at, { name: `${at.open}-other`, id: at.open }), duplicate);
  same(await create(at, { name: at.open, id: `${at.open}-other` }), duplicate);
});

storageTest("a request without token, key and body property names the property first", async (at) => {
  const anonymous = async (body: object) =>
    await refusal(await fetch(at.url("/bucket"), { method: "POST", headers: json, body: JSON.stringify(body) }));
  same(await anonymous({}), invalid("body must have required property 'name'"));
  same(await anonymous({ name: "x" }), invalid("headers must have required property 'authorization'"));
  const forged = await fetch(at.url("/bucket"), { headers: { authorization: "Bearer a.b.c" } });
  same((await refusal(forged)).statusCode, "403");
});

storageTest("a bucket has an empty owner unless a user created it, and only the list has its type", async (at) => {
  const [bucket] = (await (await at.raw("GET", `/bucket?search=${at.open}`)).json()) as Record<string, unknown>[];
  same([bucket.owner, bucket.type], ["", "STANDARD"]);
  const single = await (await at.raw("GET", `/bucket/${at.open}`)).json();
  same([single.owner, "type" in single, "owner_id" in single], ["", false, false]);
});

storageTest("buckets are listed in pages, sorted and searched without wildcards", async (at) => {
  const list = async (query: string) =>
    (await (await at.raw("GET", `/bucket?search=${at.open.replace(/-open$/, "")}&${query}`)).json())
      .map(({ id }: { id: string }) => id);
  await at.bucket("aaa", { public: false });
  const sorted = await list("sortColumn=name&sortOrder=asc");
  same(sorted, [...sorted].sort());
  same(await list("sortColumn=name&sortOrder=desc&limit=1"), [sorted.at(-1)]);
  same(await list("sortColumn=name&limit=2&offset=1"), sorted.slice(1, 3));
  same(await (await at.raw("GET", "/bucket?search=%25")).json(), []);
  const refused = async (query: string) => (await refusal(await at.raw("GET", `/bucket?${query}`))).message;
  same(await refused("limit=0"), "querystring/limit must be >= 1");
  same(await refused("limit=x"), "querystring/limit must be integer");
  same(await refused("limit=1&limit=2"), "querystring/limit must be integer");
  same(await refused("offset=-1"), "querystring/offset must be >= 0");
  same(await refused("sortColumn=owner"), "querystring/sortColumn must be equal to one of the allowed values");
});

storageTest("an update names a setting, and only the secret key empties a bucket", async (at) => {
  match((await refusal(await send(at, "PUT", `/bucket/${at.open}`, {}))).message, /property 'public', body must have/);
  same(await refusal(await send(at, "PUT", "/bucket/a%2Fb", { public: true })), invalidName);
  const { error } = await at.ana.client.storage.emptyBucket(at.open);
  same([error!.message, status(error)], ["Access denied: Invalid role", "403"]);
  const id = await at.bucket("emptied", { public: false });
  ok((await at.raw("POST", `/bucket/${id}/empty`, { body: "", headers: json })).ok);
});
