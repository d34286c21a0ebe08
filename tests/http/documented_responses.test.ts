// assertDocumented() rejects responses that the OpenAPI documents do not declare.
import assert from "node:assert/strict";
import { assertDocumented } from "./documented_responses.ts";
import { sendRequest } from "./harness.ts";

const path = "/public/v1/podcasts/demo/episodes?limit=1";
const { headers, text, body } = await sendRequest({ method: "GET", path });

interface Change {
  method?: string;
  path?: string;
  status?: number;
  headers?: Record<string, string | undefined>;
  text?: string;
}

/** The demo's response with a change. */
const changed = (change: Change) => () => {
  const changedHeaders = new Headers(headers);
  for (const [name, value] of Object.entries(change.headers ?? {})) {
    value === undefined ? changedHeaders.delete(name) : changedHeaders.set(name, value);
  }
  const response = { status: change.status ?? 200, headers: changedHeaders, redirected: false };
  assertDocumented({ method: "GET", path, text, ...change, response });
};
const edited = (edit: (copy: typeof body) => void) => {
  const copy = structuredClone(body);
  edit(copy);
  return { text: JSON.stringify(copy) };
};

const cases: [response: string, change: Change, message: RegExp][] = [
  ["with another member", edited((copy) => copy.data[0].secret = 1), /must NOT have additional properties/],
  ["without a member", edited((copy) => delete copy.data[0].title), /must have required property 'title'/],
  ["with another type", edited((copy) => copy.data[0].explicit = "no"), /explicit must be boolean/],
  ["with another format", edited((copy) => copy.data[0].publishedAt = "today"), /must match format "date-time"/],
  ["with another status", { status: 201 }, /has a status that is not among 200,304,400,404,414,503/],
  ["with another media type", { headers: { "content-type": "text/plain" } }, /has the type text\/plain/],
  [
    "that lets browsers guess its type",
    { headers: { "x-content-type-options": undefined } },
    /lets browsers guess its type/,
  ],
  ["without a documented header", { headers: { etag: undefined } }, /has no etag/],
  ["304 with a body", { status: 304 }, /has a body that is not documented/],
  ["with an error that is not an envelope", { status: 404, text: "{}" }, /must have required property 'error'/],
  ["of an unknown path", { path: "/public/v1/none" }, /is not a documented operation/],
  ["of a method that the path has not", { method: "POST" }, /is not a documented operation/],
];

for (const [response, change, message] of cases) {
  Deno.test(`assertDocumented rejects a response ${response}`, () => {
    assert.throws(changed(change), message);
  });
}

Deno.test("assertDocumented accepts the response of a documented operation, with a trailing slash, and to HEAD", () => {
  changed({})();
  changed({ path: "/public/v1/podcasts/demo/episodes/" })();
  changed({ method: "HEAD", text: "" })();
});

Deno.test("assertDocumented accepts 404 of an unknown path, 405 of an unknown method, and other functions", () => {
  changed({ path: "/public/v1/none", status: 404 })();
  changed({ method: "POST", status: 405 })();
  changed({ path: "/worker", status: 202 })();
});
