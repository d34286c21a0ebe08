// Headers and request targets that no browser sends, through the gateway and directly to the functions.
import assert from "node:assert/strict";
import { startFunctions } from "../functions.ts";
import { byScale } from "../scale.ts";
import { person, stackInfo } from "./harness.ts";
import { sendBytes } from "./raw_response.ts";

const owner = await person("owner");
const UNKNOWN = "00000000-0000-4000-8000-000000000000";

type Field = [name: string, value: string];

interface Sample {
  method: string;
  path: string;
  body?: string;
  headers?: Record<string, string>;
}

/** npm test sends each value of each header to some routes, test:faults to all. */
const STEP = byScale(4, 1);

/** Of each function, and of each way to read a header or the URL. */
const ROUTES: Sample[] = [
  { method: "GET", path: "/api/health" },
  { method: "POST", path: "/api/guests/accept", body: '{"accessToken":"none"}' },
  { method: "POST", path: "/api/bookings", body: "{}" },
  { method: "POST", path: "/api/notifications/resend-webhook", body: "{}" },
  { method: "GET", path: "/api/notifications/email/unsubscribe/none" },
  { method: "POST", path: "/api/notifications/email/unsubscribe/none", body: "emails=on" },
  {
    method: "PUT",
    path: `/api/media/audio/upload/${UNKNOWN}?podcastId=${UNKNOWN}&episodeId=${UNKNOWN}`,
    body: "sound",
    headers: { authorization: `Bearer ${owner.token}` },
  },
  { method: "OPTIONS", path: "/api/bookings" },
  { method: "GET", path: "/public/listen/demo" },
  { method: "GET", path: "/public/feeds/demo.xml" },
  { method: "GET", path: "/public/v1/podcasts/demo/episodes?limit=2" },
  { method: "GET", path: "/public/oembed?url=none" },
  { method: "POST", path: "/worker", body: "{}" },
];

const HOSTS = ["a b", "[::1", "x:99999", "x:port", "%zz", "xn--", "<b>", "x, y", "1.2.3.4.5", "%00"]
  .concat("a/b", "http://x", "a?b", "a#b", "user@x");

/** For every header. */
const ODD_VALUES = [
  "",
  " ",
  "\xff\xfe\x80",
  "a b",
  ",,;;==",
  '"',
  "null",
  "-1",
  "9".repeat(30),
  "%00",
  "x".repeat(7000),
];

/** For headers that a function, the gateway or the server reads. */
const HEADERS: Record<string, string[]> = {
  "accept": ["text/html;q=x;q=-1;q", "*;q=0"],
  "accept-encoding": ["gzip;q=", "*;q=0", "gzip;q=1e999"],
  "accept-language": ["de-\x80", "*", "-", "__proto__"],
  "apikey": ["__proto__"],
  "authorization": ["Bearer", "Bearer ", "Bearer \xff", "Bearer a.b.c", "Bearer e30.e30.e30", "Basic x"],
  "connection": ["upgrade", "close, close"],
  "content-encoding": ["gzip"],
  "content-length": ["x", "1, 2", "+2", "0x2"],
  "content-type": ['application/json; charset="', "application/json; charset=utf-16", "multipart/form-data"]
    .concat("multipart/form-data; boundary=", "multipart/form-data; boundary=\xff", "/", "__proto__"),
  "cookie": ["=", "a=b; a=b"],
  "expect": ["100-continue", "200-ok"],
  "forwarded": ["for=;;"],
  "idempotency-key": ["'; --"],
  "if-modified-since": ["Thu, 99 Foo 2000 00:00:00 GMT", "Invalid Date"],
  "if-none-match": ["*", 'W/"', '"a', "W/*"],
  "if-range": ['"a'],
  "origin": ["null", "http://[", "x:y"],
  "range": ["bytes=5-1", "bytes=-", "bytes=a-b,c", "bytes=0-0,0-0,0-0"],
  "referer": ["http://["],
  "svix-id": ["x"],
  "svix-timestamp": ["x"],
  "transfer-encoding": ["gzip", "identity"],
  "upgrade": ["websocket", "h2c"],
  "user-agent": ["\x80"],
  "x-forwarded-for": [",", "::1, x", "1.2.3.4:5"],
  "x-forwarded-host": ["http://["],
  "x-forwarded-proto": ["javascript"],
};

const sendText = async (host: string, request: string) => new TextDecoder().decode(await sendBytes(host, request));

/** The status and the beginning of the response; undefined if the server closed the connection without one. */
async function request(host: string, { method, path, body = "", headers = {} }: Sample, odd: Field[]) {
  const fields: Record<string, string> = {
    host,
    connection: "close",
    ...body && { "content-length": String(body.length), "content-type": "application/json" },
    ...headers,
  };
  for (const [name] of odd) if (name !== "connection") delete fields[name]; // without close, the response would not end
  if (odd.some(([name]) => name === "transfer-encoding")) delete fields["content-length"];
  const lines = [...Object.entries(fields), ...odd].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const text = await sendText(host, `${method} ${path} HTTP/1.1\r\n${lines}\r\n${body}`);
  return text ? { status: Number(text.slice(9, 12)), text } : undefined;
}

for (const isDirect of [false, true]) {
  const through = isDirect ? "no gateway" : "the gateway", prefix = isDirect ? "" : "/functions/v1";

  Deno.test(`requests that no browser sends, through ${through}, return no 5xx`, async (t) => {
    await using functions = isDirect ? await startFunctions(stackInfo) : undefined;
    const { host } = new URL(functions?.url ?? stackInfo.url);
    const at = (route: Sample): Sample => ({ ...route, path: prefix + route.path });

    await t.step(`a Host that names no host returns 400 through ${through}`, async () => {
      for (const route of ROUTES.filter(({ method }) => method !== "OPTIONS")) {
        const statuses = await Promise.all(HOSTS.map(async (value) => {
          const response = await request(host, at(route), [["host", value]]);
          // with a slash it moves the path, so no function is found
          return response?.status === 404 && value.includes("/") ? 400 : response?.status;
        }));
        assert.deepEqual(statuses, HOSTS.map(() => 400), `${route.method} ${route.path}`);
      }
    });

    await t.step(`two Host headers return no 5xx through ${through}`, async () => {
      for (const route of ROUTES) {
        const response = await request(host, at(route), [["host", "x"], ["host", "y"]]);
        assert.ok(response && response.status < 500, `${route.method} ${route.path}: ${response?.text}`);
      }
    });

    await t.step(`odd values of any header return no 5xx through ${through}`, async () => {
      for (const [number, route] of ROUTES.entries()) {
        const failures: string[] = [];
        for (const [name, values] of Object.entries(HEADERS)) {
          const sent = [...ODD_VALUES, ...values].filter((_, n) => (n + number + Number(isDirect)) % STEP === 0);
          await Promise.all(sent.map(async (value) => {
            const response = await request(host, at(route), [[name, value]]);
            if (response && !(response.status < 500)) failures.push(`${name}: ${value.slice(0, 40)}: ${response.text}`);
          }));
        }
        assert.deepEqual(failures, [], `${route.method} ${route.path}`);
      }
    });

    await t.step(`odd request targets return no 5xx through ${through}`, async () => {
      const targets = ["GET *", "OPTIONS *", "CONNECT x:1", `CONNECT ${prefix}/api/health`, "GET ?", "GET http://[/"]
        .concat(`GET /${prefix}/api/health`, "GET http://x y/", `GET http://x:port${prefix}/api/health`)
        .concat(
          `FOO ${prefix}/api/health`,
          `GET ${prefix}/public/listen/%ff`,
          `GET ${prefix}/public/listen/%zz?%ff=%zz`,
        );
      for (const target of targets) {
        for (const field of ["", "host: x\r\n", "host: a b\r\n"]) {
          const text = await sendText(host, `${target} HTTP/1.1\r\n${field}connection: close\r\n\r\n`);
          assert.ok(!text || Number(text.slice(9, 12)) < 500, `${target}, ${field}: ${text}`);
        }
      }
    });
  });
}

Deno.test("a Host that names no host returns 400 from every service of the gateway", async () => {
  const { host } = new URL(stackInfo.url);
  const paths = [
    "/rest/v1/podcasts?select=id",
    "/auth/v1/health",
    "/storage/v1/bucket",
    "/realtime/v1/websocket",
    "/demo/",
  ];
  for (const path of paths) {
    for (const value of ["a b", "x:99999", "[::1"]) {
      assert.equal((await request(host, { method: "GET", path }, [["host", value]]))?.status, 400, `${path}, ${value}`);
    }
  }
});
