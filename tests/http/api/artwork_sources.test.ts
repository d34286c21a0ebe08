// POST /api/media/import-artwork: which addresses are asked, what they may answer, and in which words they are refused.
import assert from "node:assert/strict";
import { peer, type Visit } from "../../guarded/peer.ts";
import { ascii, be32, joined, PNG_SIGNATURE, pngChunk, TYPE } from "../../pictures.ts";
import { isRefused, person } from "../harness.ts";
import {
  allow,
  type ArtworkType,
  importing,
  importsOf,
  isServed,
  LEAST,
  picture,
  redirect,
  response,
} from "./artwork.ts";
import { source, temporaries, TYPES } from "./artwork.ts";
import { draw, type Format, someone, SPEC } from "./images.ts";

const unlucky = someone("unlucky"), keeper = await person(someone("keeper"));
await person(unlucky);

/** Refused, without a word about our network, and nothing is kept. */
async function refused(url: string, expected: Record<string, unknown>, imageType: ArtworkType = "cover") {
  const answer = await importing(await person(unlucky), { url, imageType });
  isRefused(answer, 400, expected);
  assert.doesNotMatch(answer.text, /\d+\.\d+\.\d+|localhost|::|os error|secret/i);
  assert.deepEqual([await importsOf(unlucky), await temporaries(unlucky)], [[], []]);
}

/** Taken, as a file of this format. */
async function taken(url: string, bytes: Uint8Array, format: Format, imageType: ArtworkType = "cover") {
  const { status, body, text } = await importing(keeper, { url, imageType });
  assert.equal(status, 200, text);
  await isServed(body.publicUrl, bytes, format);
}

// Addresses

const BLOCKED = { code: "BLOCKED_URL", error: "The address is not on the public internet" };

Deno.test("Artwork comes from an http or https address, and from none with a password in it", async () => {
  await using there = peer("HTTP/1.1 200 OK\r\n\r\n");
  const urls = [
    ...["cover.jpg", "//example.com/cover.jpg", "http://", "http:// /", "http://exa mple.com/", "https://1.2.3.4.5/"],
    ...["ftp://example.com/cover.jpg", "file:///etc/passwd", "data:image/png;base64,iVBORw0KGgo=", "blob:http://a/b"],
    ...["javascript:1", "gopher://example.com/", "http://[fe80::1%25eth0]/", `ftp://${there.host}/`],
    ...[`http://user:secret@${there.host}/`, `http://secret@${there.host}/`, `http://${there.host}/\r\nx: y`],
  ];
  for (const url of urls) await refused(url, { code: "INVALID_URL" });
  assert.deepEqual(there.requests, []);
});

Deno.test("No address of a private network is asked, however it is written", async () => {
  await using inside = peer("HTTP/1.1 200 OK\r\n\r\n");
  const { port } = inside, loopback = ["127.0.0.1", "0x7f.1", "2130706433", "0177.0.0.1", "127.1", "127.0.0.1."];
  const disguised = [
    "①②⑦.0.0.1",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::1]",
    "0",
  ];
  const names = ["localhost", "LOCALHOST", "localhost.", "art.localhost", "ⓛocalhost", "printer.local", "db.internal"];
  const elsewhere = [
    ...["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255"],
    ...["169.254.169.254", "0xA9FEA9FE", "2852039166", "metadata.google.internal", "[fd00:ec2::254]"], // clouds' secrets
    ...[
      "100.64.0.1",
      "192.0.0.1",
      "192.0.2.1",
      "198.18.0.1",
      "198.51.100.1",
      "203.0.113.1",
      "224.0.0.1",
      "255.255.255.255",
    ],
    ...["[::]", "[fc00::1]", "[fe80::1]", "[ff02::1]", "[2001:db8::1]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]"],
  ];
  for (const host of [...loopback, ...disguised, ...names].map((name) => `${name}:${port}`).concat(elsewhere)) {
    for (const scheme of ["http", "https"]) await refused(`${scheme}://${host}/cover.jpg`, BLOCKED);
  }
  assert.deepEqual(inside.requests, []);
});

Deno.test("Ports of other services are not asked", async () => {
  for (const port of [22, 25, 110, 445]) {
    await refused(`http://example.com:${port}/`, {
      code: "BLOCKED_URL",
      error: `Port ${port} is not one that can be requested`,
    });
  }
});

Deno.test("An allowed source cannot send us on to one that is not", async () => {
  await using inside = peer("HTTP/1.1 200 OK\r\n\r\n");
  const { port } = inside;
  for (const status of [301, 302, 303, 307, 308]) {
    await using from = await source(redirect(`http://127.0.0.1:${port}/`, status));
    await refused(from.url, BLOCKED);
    assert.equal(from.requests.length, 1);
  }
  const targets: [string, object][] = [
    [`//127.0.0.1:${port}/`, BLOCKED],
    [`http://localhost:${port}/`, BLOCKED],
    [`http://[::ffff:127.0.0.1]:${port}/`, BLOCKED],
    [`http://2130706433:${port}/`, BLOCKED],
    ["http://169.254.169.254/latest/meta-data/", BLOCKED],
    ["https://10.0.0.1/", BLOCKED],
    ["http://example.com:25/", { code: "BLOCKED_URL" }],
    ["ftp://example.com/", { code: "INVALID_URL" }],
    ["file:///etc/passwd", { code: "INVALID_URL" }],
    [`http://user:pass@127.0.0.1:${port}/`, { code: "INVALID_URL" }],
  ];
  for (const [location, expected] of targets) {
    await using from = await source(redirect(location));
    await refused(from.url, { ...expected });
  }
  assert.deepEqual(inside.requests, []);
});

Deno.test("A redirect is looked at wherever it stands: after an allowed one too", async () => {
  await using inside = peer("HTTP/1.1 200 OK\r\n\r\n");
  await using second = await source(redirect(inside.url));
  await using first = await source(redirect(second.url));
  await refused(first.url, BLOCKED);
  assert.deepEqual([first.requests.length, second.requests.length, inside.requests.length], [1, 1, 0]);
});

Deno.test("Redirects are followed, across sources and relative ones, and not without an end", async () => {
  const bytes = picture("cover");
  await using there = await source(response(bytes, { type: TYPE.jpeg }));
  await using from = await source(({ request, send }: Visit) => {
    const path = request.split(" ")[1];
    return send(redirect(path === "/" ? "a/b?c=d" : path === "/a/b?c=d" ? there.url : "/again", 307));
  });
  await taken(from.url, bytes, "jpeg");
  assert.equal(from.requests.length, 2);
  await refused(`${from.url}again`, { code: "FETCH_FAILED", error: "The address redirects too often" });
  assert.equal(from.requests.length, 2 + 6);
});

Deno.test("An address that nobody answers at is a 400", async () => {
  const closed = peer("");
  await closed[Symbol.asyncDispose]();
  await allow(closed.host);
  await refused(closed.url, { code: "FETCH_FAILED", error: "The address cannot be reached" });
});

Deno.test("What is not an HTTP answer, or not all of one, is a 400", async () => {
  const bytes = picture("cover"), head = `HTTP/1.1 200 OK\r\ncontent-type: image/jpeg\r\n`;
  const answers: (Uint8Array | string)[] = [
    "",
    "SSH-2.0-OpenSSH_9.6\r\n\r\n",
    head,
    response(bytes, { type: TYPE.jpeg, length: bytes.length + 1 }),
    joined(ascii(`${head}transfer-encoding: chunked\r\n\r\n${bytes.length.toString(16)}\r\n`), bytes, ascii("\r\n")),
    joined(ascii(`${head}transfer-encoding: gzip\r\n\r\n`), bytes),
  ];
  for (const answer of answers) {
    await using from = await source(answer);
    await refused(from.url, { code: "FETCH_FAILED" });
  }
});

Deno.test("An address that answers with an error is a 400 that says which", async () => {
  for (const status of [304, 401, 403, 404, 410, 429, 500, 503]) {
    await using from = await source(response(picture("cover"), { status, type: TYPE.jpeg }));
    await refused(from.url, { code: "HTTP_ERROR", error: `The address answered with status ${status}` });
  }
});

// What they answer

const TYPE_ERROR = { error: "Invalid content type", code: "INVALID_CONTENT_TYPE" };
const gif = joined(ascii("GIF89a"), [0x78, 0x05, 0x78, 0x05, 0, 0, 0], new Uint8Array(1000));
const svg = ascii('<svg xmlns="http://www.w3.org/2000/svg" width="1400" height="1400"/>');

Deno.test("What is declared as anything but a JPEG, PNG or WebP image is a 400, whatever the bytes are", async () => {
  const page = ascii("<!doctype html><title>Sign in</title>");
  const answers: [string, Uint8Array][] = [
    ["text/html", picture("cover")],
    ["text/html; charset=utf-8", page],
    ["image/gif", gif],
    ["image/svg+xml", svg],
    ["image/avif", picture("cover")],
    ["image/*", picture("cover")],
    ["application/json", ascii('{"a":1}')],
    ["application/pdf", picture("cover", "png")],
  ];
  for (const [type, bytes] of answers) {
    await using from = await source(response(bytes, { type }));
    await refused(from.url, { ...TYPE_ERROR, details: "Accepted for cover: image/jpeg, image/png" });
  }
});

Deno.test("What is declared as an image that the bytes are not is a 400", async () => {
  const answers: [Format, Uint8Array, string][] = [
    ["png", gif, "no JPEG, PNG or WebP image"],
    ["jpeg", picture("banner", "png"), "image/png"],
    ["png", picture("banner", "webp"), "image/webp"],
    ["webp", picture("banner", "jpeg"), "image/jpeg"],
    ["jpeg", svg, "no JPEG, PNG or WebP image"],
    ["jpeg", picture("banner").slice(0, 20), "no JPEG, PNG or WebP image"],
    ["png", new Uint8Array(1000), "no JPEG, PNG or WebP image"],
  ];
  for (const [format, bytes, real] of answers) {
    await using from = await source(response(bytes, { type: TYPE[format] }));
    const details = `Declared as ${TYPE[format]}, but the bytes are ${real}`;
    await refused(from.url, { ...TYPE_ERROR, details }, "banner");
  }
});

Deno.test("A source that does not know what it sends is believed the bytes, and only the bytes", async () => {
  for (const type of [undefined, "", "application/octet-stream", "binary/octet-stream", "Application/Octet-Stream"]) {
    for (const format of ["jpeg", "png", "webp"] as const) {
      const bytes = picture("banner", format);
      await using from = await source(response(bytes, { type }));
      await taken(from.url, bytes, format, "banner");
    }
    for (const bytes of [gif, svg, ascii("nothing that is an image")]) {
      await using from = await source(response(bytes, { type }));
      await refused(from.url, TYPE_ERROR, "banner");
    }
  }
});

Deno.test("image/jpg is a JPEG; case and parameters of a type make no difference", async () => {
  const types: [string, Format][] = [
    ["image/jpg", "jpeg"],
    ["IMAGE/JPG; q=1", "jpeg"],
    ["Image/PNG", "png"],
    ["image/jpeg;charset=binary", "jpeg"],
  ];
  for (const [type, format] of types) {
    const bytes = picture("cover", format);
    await using from = await source(response(bytes, { type }));
    await taken(from.url, bytes, format);
  }
});

Deno.test("A WebP is no cover, whether its source knows that it is one or not; elsewhere it is fine", async () => {
  for (const type of [TYPE.webp, undefined]) {
    await using cover = await source(response(picture("cover", "webp"), { type }));
    await refused(cover.url, { ...TYPE_ERROR, details: "Accepted for cover: image/jpeg, image/png" });
    for (const imageType of ["header", "banner", "profile"] as const) {
      const bytes = picture(imageType, "webp");
      await using from = await source(response(bytes, { type }));
      await taken(from.url, bytes, "webp", imageType);
    }
  }
});

Deno.test("A body is read however it is framed: by its length, by chunks, until the source closes, byte by byte", async () => {
  const bytes = picture("profile", "png", 2000), head = "HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n";
  const chunks = [bytes.subarray(0, 7), bytes.subarray(7)].map((part) =>
    joined(ascii(`${part.length.toString(16)}\r\n`), part, ascii("\r\n"))
  );
  const answers = [
    response(bytes, { type: TYPE.png }),
    response(bytes, { type: TYPE.png, length: null }),
    joined(ascii(`${head}transfer-encoding: chunked\r\n\r\n`), ...chunks, ascii("0\r\n\r\n")),
    async ({ send }: Visit) => {
      for (const byte of response(bytes, { type: TYPE.png })) await send(Uint8Array.of(byte));
    },
  ];
  for (const answer of answers) {
    await using from = await source(answer);
    await taken(from.url, bytes, "png", "profile");
  }
});

Deno.test("A body that is compressed although nobody asked for it is no image", async () => {
  const packed = await new Response(
    new Response(picture("cover")).body!.pipeThrough(new CompressionStream("gzip")),
  ).bytes();
  const head = `HTTP/1.1 200 OK\r\ncontent-type: image/jpeg\r\ncontent-encoding: gzip\r\n\r\n`;
  await using from = await source(joined(ascii(head), packed));
  await refused(from.url, TYPE_ERROR);
});

Deno.test("An empty answer is a 400", async () => {
  for (const length of [0, null]) {
    await using from = await source(response(new Uint8Array(), { type: TYPE.jpeg, length }));
    await refused(from.url, { error: "The upload is empty", code: "EMPTY_BODY" });
  }
  await using silent = await source("HTTP/1.1 204 No Content\r\n\r\n");
  await refused(silent.url, TYPE_ERROR);
});

// How large they may be

for (const imageType of TYPES) {
  const most = imageType === "cover" ? SPEC.cover.maxSize : SPEC.banner.maxSize;
  const large = { error: "File too large", code: "FILE_TOO_LARGE", maxBytes: most };

  Deno.test(`The largest file is imported and one byte more is a 400, announced or not: ${imageType}`, async () => {
    for (const announced of [true, false]) {
      const sent = (bytes: Uint8Array) => response(bytes, { type: TYPE.png, length: announced ? bytes.length : null });
      const largest = picture(imageType, "png", most);
      await using fits = await source(sent(largest));
      await taken(fits.url, largest, "png", imageType);
      await using exceeds = await source(sent(picture(imageType, "png", most + 1)));
      await refused(exceeds.url, large, imageType);
    }
  });

  Deno.test(`A source that announces too much is left before it sends any of it: ${imageType}`, async () => {
    await using from = await source(async ({ send, left }) => {
      await send(response(new Uint8Array(), { type: TYPE.png, length: most + 1 }));
      await left();
    });
    await refused(from.url, large, imageType);
  });

  Deno.test(`A source that goes on and on is left soon after the limit: ${imageType}`, async () => {
    let sent = 0;
    await using from = await source(async ({ send, left }) => {
      const leaving = left();
      await send(response(picture(imageType, "png"), { type: TYPE.png, length: null }));
      const piece = new Uint8Array(65_536);
      try {
        for (; sent < 64 * most; sent += piece.length) await send(piece);
      } finally {
        await leaving;
      }
    });
    await refused(from.url, large, imageType);
    assert.ok(sent < most + 16_000_000, `${sent} bytes were read for a limit of ${most}`); // the kernel's buffers hold some
  });
}

// Their dimensions

const SMALL = { error: "Image dimensions too small", code: "DIMENSIONS_TOO_SMALL" };
const RATIO = { error: "Invalid aspect ratio", code: "INVALID_ASPECT_RATIO" };

const EDGES: Record<ArtworkType, [width: number, height: number, error?: object][]> = {
  cover: [
    [1400, 1400],
    [1399, 1400, SMALL],
    [1400, 1399, SMALL],
    [1442, 1400], // 3 %, which an upload may not have
    [1400, 1442],
    [1470, 1400], // 5 % to the pixel
    [1471, 1400, RATIO],
    [1400, 1473],
    [1400, 1474, RATIO],
    [3000, 3000],
    [2850, 3000], // 5 % to the pixel
    [2849, 3000, RATIO],
    [65_535, 65_535],
  ],
  header: [
    [1199, 200, SMALL],
    [1280, 199, SMALL],
    [1200, 200, RATIO], // 6:1
    [1215, 200, RATIO],
    [1216, 200], // 5 % to the pixel
    [1240, 200],
    [1344, 200], // 5 % to the pixel
    [1345, 200, RATIO],
  ],
  banner: [
    [599, 315, SMALL],
    [600, 314, SMALL],
    [600, 315],
    [9073, 5000], // 5 % is 9072.5 and 10027.5
    [9072, 5000, RATIO],
    [10_027, 5000],
    [10_028, 5000, RATIO],
  ],
  profile: [
    [199, 200, SMALL],
    [200, 199, SMALL],
    [200, 200],
    [210, 200], // 5 % to the pixel
    [211, 200, RATIO],
    [200, 210],
    [200, 211, RATIO],
  ],
};

for (const imageType of TYPES) {
  Deno.test(`The least size and the 5 % of the ratio hold to the pixel: ${imageType}`, async () => {
    for (const [width, height, error] of EDGES[imageType]) {
      const format = imageType === "cover" ? "jpeg" : "webp", bytes = draw[format]({ width, height });
      await using from = await source(response(bytes, { type: TYPE[format] }));
      if (error) {
        await refused(from.url, { ...error, details: new RegExp(`^${width} x ${height} pixels; `) }, imageType);
      } else await taken(from.url, bytes, format, imageType);
    }
  });
}

Deno.test("The dimensions that are told are those in the bytes", async () => {
  const { width, height } = { ...LEAST.cover, width: 1412 };
  for (const format of ["jpeg", "png"] as const) {
    await using from = await source(response(draw[format]({ width, height }), { type: TYPE[format] }));
    assert.deepEqual((await importing(keeper, { url: from.url })).body.dimensions, { width, height });
  }
});

Deno.test("A picture that claims more pixels than any picture has is no image, or has no ratio: a 400, not a crash", async () => {
  const header = (width: number, height: number) => pngChunk("IHDR", [...be32(width), ...be32(height), 8, 2, 0, 0, 0]);
  for (const [width, height, expected] of [[0xffffffff, 0xffffffff, TYPE_ERROR], [0x7fffffff, 1400, RATIO]] as const) {
    await using from = await source(response(joined(PNG_SIGNATURE, header(width, height)), { type: TYPE.png }));
    await refused(from.url, { ...expected });
  }
});
