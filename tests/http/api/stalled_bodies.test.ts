// Clients that begin large bodies and never end them, and the other clients meanwhile.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { startFunctions } from "../../functions.ts";
import { addMember, episode, newPerson, podcast, stackInfo, waitFor } from "../harness.ts";
import { CAP, upload } from "./audio.ts";

/** Fills the memory of all uploads if one account may use it all. */
const SIZES = [...Array(12).fill(CAP), 4_194_284];
const SHARE_OF_UPLOADS = 20 * 1024 * 1024, SHARE_OF_JSON = 1024 * 1024;

interface Stalled extends Disposable {
  /** The head of the response, once the server has rejected the body. */
  response: string;
}

/** Sends a chunk of this size without the end of the body. */
function stall(port: number, method: string, path: string, size: number, headers: Record<string, string>): Stalled {
  let connection: Deno.TcpConn | undefined, isOver = false;
  const fields = { host: "functions.test", "transfer-encoding": "chunked", ...headers };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const stalled: Stalled = {
    response: "",
    [Symbol.dispose]() {
      isOver = true;
      connection?.close();
    },
  };
  (async () => {
    connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const start = Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n${size.toString(16)}\r\n`);
    const bytes = Buffer.concat([start, Buffer.alloc(size, 0x20)]), buffer = new Uint8Array(65_536);
    for (let written = 0; written < bytes.length;) written += await connection.write(bytes.subarray(written));
    const read = await connection.read(buffer);
    stalled.response = new TextDecoder().decode(buffer.subarray(0, read ?? 0));
  })().catch((error) => {
    if (!isOver) stalled.response = String(error);
  });
  return stalled;
}

const all = (stalled: Stalled[]) =>
  Object.assign(stalled, { [Symbol.dispose]: () => stalled.forEach((each) => each[Symbol.dispose]()) });

/** Waits until the server has rejected so many bodies, each with 503 and Retry-After. */
async function assertRejected(stalled: Stalled[], count: number) {
  const responses = () => stalled.map(({ response }) => response).filter(Boolean);
  await waitFor("the bodies beyond the share are rejected", () => responses().length >= count);
  for (const response of responses()) assert.match(response, /^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n/);
}

Deno.test("13 stalled uploads of one account leave the others' uploads and all JSON untouched", async () => {
  const [eve, vic] = await Promise.all(["eve", "vic"].map(newPerson)), show = await podcast("Stalled");
  await Promise.all([eve, vic].map((each) => addMember(show, each, "admin")));
  const pilot = await episode(show), second = await episode(show, "Second");
  await using functions = await startFunctions(stackInfo);
  const { method, path, headers } = upload(show, pilot, { as: eve });
  using stalled = all(
    SIZES.map((size) =>
      stall(functions.port, method, path, size, { ...headers, authorization: `Bearer ${eve.token}` })
    ),
  );
  await assertRejected(stalled, SIZES.length - SHARE_OF_UPLOADS / CAP);

  const chunked = () => new Blob([Buffer.alloc(CAP, "sound")]).stream();
  for (let times = 0; times < 3; times++) {
    const { path, headers } = upload(show, second);
    const response = await fetch(functions.url + path, {
      method,
      headers: { ...headers, authorization: `Bearer ${vic.token}` },
      body: chunked(),
    });
    assert.equal(response.status, 200, await response.text());
  }
  for (const token of [undefined, vic.token, eve.token]) {
    const response = await fetch(`${functions.url}/api/guests/accept`, {
      method: "POST",
      headers: { "content-type": "application/json", ...token && { authorization: `Bearer ${token}` } },
      body: '{"accessToken":"none"}',
    });
    assert.ok(response.status < 500, await response.text());
  }
});

Deno.test("stalled JSON of a network without a login leaves the JSON of other addresses and users untouched", async () => {
  const vic = await newPerson("vic"), size = 65_000, count = 24;
  await using functions = await startFunctions(stackInfo);
  using stalled = all(
    Array.from({ length: count }, (_, n) =>
      stall(functions.port, "POST", "/api/guests/accept", size, {
        "content-type": "application/json",
        "x-forwarded-for": `2001:db8::${n}`,
      })),
  );
  await assertRejected(stalled, count - Math.floor(SHARE_OF_JSON / size));

  const post = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(functions.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: "{}",
    });
    await response.body?.cancel();
    return response.status;
  };
  const from = (address: string) => ({ "x-forwarded-for": address });
  assert.equal(await post("/api/guests/accept", from("2001:db8:0:1::1")), 400);
  assert.equal(await post("/api/guests/accept", from("192.0.2.1")), 400);
  const signedIn = { ...from("2001:db8::1"), authorization: `Bearer ${vic.token}` };
  assert.equal(await post("/api/media/audio/presigned-url", signedIn), 400);
});
