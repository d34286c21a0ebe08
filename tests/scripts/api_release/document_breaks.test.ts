// findDocumentBreaks() finds each kind of change that breaks clients of an API, and accepts additions.
import { deepStrictEqual as deepEqual } from "node:assert";
import { type ApiDocument, findDocumentBreaks } from "../../../scripts/api_release/document_breaks.ts";

/** A document with one operation of each kind. */
const sample = (): ApiDocument => ({
  paths: {
    "/things/{id}": {
      get: {
        security: [],
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          { name: "limit", in: "query", schema: { type: "integer", default: 25 } },
        ],
        responses: {
          200: {
            headers: { etag: { schema: { type: "string" } } },
            content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
          },
          404: { $ref: "#/components/responses/404" },
        },
      },
    },
    "/things": {
      post: {
        security: [{ user: [] }],
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } } },
        responses: { 201: {} },
      },
    },
  },
  components: {
    responses: { 404: { content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } } },
    schemas: {
      Thing: { type: "object", properties: { name: { type: "string" } } },
      Error: { type: "object", properties: { error: { type: "string" } }, required: ["error"] },
    },
  },
});

const read = (document: ApiDocument) => document.paths["/things/{id}"].get;
const write = (document: ApiDocument) => document.paths["/things"].post;
const ok = (document: ApiDocument) => read(document).responses[200] as { headers?: object; content: object };

const cases: [change: string, (document: ApiDocument) => void, breaks: string[]][] = [
  ["an operation is removed", ({ paths }) => delete paths["/things"].post, ["POST /things is removed"]],
  ["a path is removed", ({ paths }) => delete paths["/things/{id}"], ["GET /things/{id} is removed"]],
  ["a status is removed", (one) => delete read(one).responses[404], ["GET /things/{id}: 404 is removed"]],
  ["a header is removed", (one) => delete ok(one).headers, ["GET /things/{id}: 200 has no header etag"]],
  [
    "a media type is removed",
    (one) => ok(one).content = { "text/plain": {} },
    ["GET /things/{id}: 200 body: application/json is removed"],
  ],
  [
    "a parameter is removed",
    (one) => read(one).parameters!.pop(),
    ["GET /things/{id}: query limit is removed"],
  ],
  [
    "a required parameter is added",
    (one) => read(one).parameters!.push({ name: "q", in: "query", required: true }),
    ["GET /things/{id}: query q is new and required"],
  ],
  [
    "a parameter becomes required",
    (one) => read(one).parameters![1].required = true,
    ["GET /things/{id}: query limit is now required"],
  ],
  [
    "a default value changes",
    (one) => read(one).parameters![1].schema!.default = 50,
    ["GET /things/{id}: query limit has another default value"],
  ],
  [
    "a parameter of the path takes fewer values",
    (one) => read(one).parameters![0].schema = { type: "integer" },
    ["GET /things/{id}: path id may no longer be string"],
  ],
  [
    "a token becomes necessary",
    (one) => read(one).security = [{ user: [] }],
    ["GET /things/{id} requires a token"],
  ],
  [
    "a body becomes necessary",
    (one) => write(one).requestBody!.required = true,
    ["POST /things requires a body"],
  ],
  [
    "a shared schema changes, in the response and the body",
    ({ components }) => components!.schemas!.Thing.properties!.name = { type: "number" },
    ["GET /things/{id}: 200 body.name may be number", "POST /things: body.name may no longer be string"],
  ],
  [
    "a shared response changes",
    ({ components }) => components!.schemas!.Error.required = [],
    ["GET /things/{id}: 404 body.error is no longer always there"],
  ],
  ["a login becomes optional", (one) => write(one).security!.push({}), []],
  ["an operation is added", ({ paths }) => paths["/others"] = { get: { responses: {} } }, []],
  ["a status is added", (one) => read(one).responses[410] = {}, []],
  [
    "an optional parameter is added",
    (one) => read(one).parameters!.push({ name: "q", in: "query", schema: { type: "string", default: "x" } }),
    [],
  ],
  [
    "a parameter of the path gets another name",
    ({ paths }) => {
      paths["/things/{thingId}"] = paths["/things/{id}"];
      paths["/things/{thingId}"].get.parameters![0].name = "thingId";
      delete paths["/things/{id}"];
    },
    [],
  ],
  [
    "a field is added",
    ({ components }) => components!.schemas!.Thing.properties!.size = { type: "number" },
    [],
  ],
];

for (const [change, apply, breaks] of cases) {
  Deno.test(`findDocumentBreaks returns ${breaks.length || "no"} lines when ${change}`, () => {
    const after = sample();
    apply(after);
    deepEqual(findDocumentBreaks(sample(), after), breaks);
  });
}
