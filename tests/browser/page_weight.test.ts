// What a phone loads for the page of a show whose episodes have covers of their own in the size that directories want.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { sql, stackInfo } from "../http/harness.ts";
import { jpeg } from "../image_fixtures.ts";
import type { Page } from "./guest_page.ts";
import { withPage } from "./chromium.ts";
import { publish, type Show } from "./listen_pages.ts";
import { PHONE } from "./player_page.ts";

const EPISODES = 25, MAX_BYTES = 400_000;
const original = jpeg({ width: 3000, height: 3000, bytes: 2_000_000 });

// deno-lint-ignore no-explicit-any -- the types of a page are not known here
declare const document: any;

/** An image with as much detail as a photograph, as the browser encodes it. */
async function encoded(page: Page, type: string, size: number): Promise<Uint8Array> {
  const address: string = await page.evaluate(([type, size]) => {
    const canvas = document.createElement("canvas"), n = Number(size);
    Object.assign(canvas, { width: n, height: n });
    const context = canvas.getContext("2d"), pixels = context.createImageData(n, n);
    for (let at = 0; at < pixels.data.length; at++) {
      const x = at / 4 % n, y = at / 4 / n;
      pixels.data[at] = at % 4 === 3
        ? 255
        : 128 + 100 * Math.sin(x / 9 + at % 4) * Math.cos(y / 7) + 20 * Math.random();
    }
    context.putImageData(pixels, 0, 0);
    return canvas.toDataURL(type, 0.78);
  }, [type, size]);
  return Buffer.from(address.slice(address.indexOf(",") + 1), "base64");
}

async function store(path: string, contentType: string, body: Uint8Array) {
  const headers = { apikey: stackInfo.secretKey, "content-type": contentType };
  const response = await fetch(`${stackInfo.url}/storage/v1/object/media/${path}`, { method: "POST", headers, body });
  assert.equal(response.status, 200, await response.text());
}

/** Covers of the show and of each episode, with their copies, as uploads and the worker leave them. */
async function addCovers(page: Page, { id, episodes }: Show) {
  const forms = [[160, "webp", "image/webp"], [640, "webp", "image/webp"], [640, "jpg", "image/jpeg"]] as const;
  const copies = await Promise.all(forms.map(async ([size, extension, type]) => ({
    ...{ size, extension, type, bytes: await encoded(page, type, size) },
  })));
  for (const episode of [undefined, ...episodes]) {
    const name = crypto.randomUUID(), folder = `podcasts/${id}`;
    const path = `${folder}/${episode ? `e/${episode.id}/images` : "images/cover"}/${name}.jpg`;
    await store(path, "image/jpeg", original);
    for (const { size, extension, type, bytes } of copies) {
      await store(`${folder}/derived/${name}/${size}.${extension}`, type, bytes);
    }
    await sql.begin(async (sql) => {
      const usage = episode ? "episode_cover" : "cover";
      await sql`
        insert into private.media_objects (path, account_id, podcast_id, episode_id, usage, bytes, content_type, width, height)
        select ${path}, m.user_id, ${id}, ${episode?.id ?? null}, ${usage}, ${original.length}, 'image/jpeg', 3000, 3000
        from public.podcast_members m where m.podcast_id = ${id} and m.role = 'owner'`;
      for (const { size, extension, type } of copies) {
        await sql`
          insert into private.media_copies (path, original_path, content_type, width, height)
          values (${`${folder}/derived/${name}/${size}.${extension}`}, ${path}, ${type}, ${size}, ${size})`;
      }
      await sql`delete from pgmq.q_image_derivatives where message ->> 'path' = ${path}`; // the copies exist
      const row = { cover_image_url: `${stackInfo.url}/storage/v1/object/public/media/${path}` };
      if (episode) await sql`update public.episodes set ${sql(row)} where id = ${episode.id}`;
      else await sql`update public.podcasts set ${sql(row)} where id = ${id}`;
    });
  }
}

/** The bytes of all responses by URL, once nothing more is loaded. */
async function loadedBy(page: Page, url: string): Promise<Map<string, number>> {
  const loaded = new Map<string, number>(), sizes: Promise<void>[] = [];
  page.on("requestfinished", (request) => {
    sizes.push(
      request.sizes().then(({ responseBodySize, responseHeadersSize }) => {
        loaded.set(request.url(), responseBodySize + responseHeadersSize);
      }),
    );
  });
  await page.goto(url, { waitUntil: "networkidle" });
  await Promise.all(sizes);
  return loaded;
}

withPage("a show page with 25 large covers loads less than 400 KB on a phone before any scroll", async (page) => {
  const titles = Array.from({ length: EPISODES }, (_, n) => ({ title: `Night train number ${n + 1}` }));
  const show = await publish("Heavy covers", titles);
  await addCovers(page, show);
  for (const url of [show.url, show.episodes[0].url]) {
    const loaded = await loadedBy(page, url), total = [...loaded.values()].reduce((sum, bytes) => sum + bytes, 0);
    const images = [...loaded.keys()].filter((url) => /\.(?:webp|jpg)$/.test(url));
    console.log(`${new URL(url).pathname}: ${total} bytes, ${images.length} images`);
    assert.ok(images.length > 0);
    assert.deepEqual(images.filter((url) => !url.endsWith(".webp")), []);
    assert.ok(total > 20_000 && total < MAX_BYTES, `${total} bytes: ${[...loaded].join("\n")}`);
    const widths: number[] = await page.evaluate(
      `[...document.querySelectorAll("img.cover")].filter(({ complete }) => complete).map(({ naturalWidth }) => naturalWidth)`,
    );
    assert.ok(widths.length > 0 && widths.every((width) => width > 0), `${widths}`);
  }
}, { viewport: PHONE, deviceScaleFactor: 3 });
