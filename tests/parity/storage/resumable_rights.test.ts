// Rights of resumable uploads: policies, and tokens of signed upload URLs.
import { deepStrictEqual as same, ok } from "node:assert";
import { refusal, status, storageTest } from "./fixture.ts";
import { asAna, statusAndText, tokenOf, type, uploader, uploadUrlOf } from "./tus.ts";

const whole = { "content-type": type };
const unauthorized = [403, "new row violates row-level security policy"];

storageTest("policies apply to every request of a resumable upload except HEAD", async (at) => {
  const key = at.ownKey("own parts"), vic = uploader(at, tokenOf(at, at.vic));
  same(await statusAndText(await vic.create(at.closed, key, 5)), unauthorized);
  same(
    await statusAndText(await uploader(at, { apikey: at.stack.publishableKey }).create(at.closed, key, 5)),
    unauthorized,
  );
  const place = uploadUrlOf(await asAna(at).create(at.closed, key, 5));
  same(await statusAndText(await vic.send(place, 0, "hello")), unauthorized);
  same(await statusAndText(await vic.remove(place)), unauthorized);
  same((await vic.head(place)).status, 200);
  const stranger = uploader(at, {});
  for (const response of [await stranger.create(at.closed, key, 5), await stranger.send(place, 0, "hello")]) {
    const { http, statusCode, message } = await refusal(response);
    same([http, statusCode, message], [400, "403", "Invalid Compact JWS"]);
  }
  same((await stranger.head(place)).status, 400);
  same((await asAna(at).send(place, 0, "hello")).status, 204);
});

storageTest("an existing object rejects a resumable upload unless x-upsert is set", async (at) => {
  const key = at.ownKey("once in parts"), ana = asAna(at), exists = [409, "The resource already exists"];
  const slow = uploadUrlOf(await ana.create(at.open, key, 5));
  await ana.create(at.open, key, 5, {}, whole, "first");
  same(await statusAndText(await ana.create(at.open, key, 5)), exists);
  same(await statusAndText(await ana.send(slow, 0, "later")), exists);
  same(await (await at.get(`${at.open}/${key}`)).text(), "first");
  const { id: first } = (await at.sql`select id from storage.objects where name = ${key}`)[0];
  const replacing = asAna(at, { "x-upsert": "true" });
  same((await replacing.send(slow, 0, "later")).status, 204);
  same(await (await at.get(`${at.open}/${key}`)).text(), "later");
  same((await at.sql`select id from storage.objects where name = ${key}`).map(({ id }) => id), [first]);
  same(await statusAndText(await replacing.send(slow, 5, "")), [500, "Something went wrong with that request\n"]);
});

storageTest("the token of a signed upload URL allows a resumable upload for its signer", async (at) => {
  const key = at.ownKey("signed parts"),
    { token } = (await at.ana.client.storage.from(at.closed).createSignedUploadUrl(key)).data!;
  const signed = uploader(at, { "x-signature": token }, "/upload/resumable/sign");
  const place = uploadUrlOf(await signed.create(at.closed, key, 11, { contentType: "audio/mpeg", cacheControl: "60" }));
  ok(place.startsWith(at.url("/upload/resumable/sign/")), place);
  same((await signed.send(place, 0, "hello ")).headers.get("upload-offset"), "6");
  same((await signed.head(place)).headers.get("upload-offset"), "6");
  same((await signed.send(place, 6, "world")).headers.get("tus-complete"), "1");
  const info = (await at.ana.client.storage.from(at.closed).info(key)).data!;
  same([info.size, info.contentType, info.cacheControl], [11, "audio/mpeg", "max-age=60"]);
  const [row] = await at.sql`select owner_id from storage.objects where bucket_id = ${at.closed} and name = ${key}`;
  same(row.owner_id, at.ana.id);

  const other = uploadUrlOf(await signed.create(at.closed, key, 1));
  same((await signed.remove(other)).status, 204);
  same((await signed.head(other)).status, 404);
});

storageTest("a signed resumable upload replaces an existing object, even without upsert in its token", async (at) => {
  const key = at.ownKey("signed twice"), bucket = at.ana.client.storage.from(at.closed);
  const { token } = (await bucket.createSignedUploadUrl(key)).data!;
  const signed = uploader(at, { "x-signature": token }, "/upload/resumable/sign");
  await signed.create(at.closed, key, 3, {}, whole, "one");
  same((await signed.create(at.closed, key, 3, {}, whole, "two")).headers.get("tus-complete"), "1");
  same(await (await bucket.download(key)).data!.text(), "two");
  const { error } = await at.anon.storage.from(at.closed).uploadToSignedUrl(key, token, "three");
  same(status(error), "409");
});

storageTest("a resumable upload that a trigger rejects leaves no file", async (at) => {
  await at.sql.unsafe(`
    create function public.lt_no_parts() returns trigger language plpgsql set search_path = '' as $$
    begin
      raise sqlstate 'PT409' using message = 'the inside story';
    end $$;
    create trigger lt_no_parts before insert on storage.objects for each row
      when (new.name = 'refused in parts' and new.metadata ? 'size') execute function public.lt_no_parts();
  `).simple();
  try {
    const service = uploader(at, { apikey: at.stack.secretKey });
    const place = uploadUrlOf(await service.create(at.open, "refused in parts", 1));
    same(await statusAndText(await service.send(place, 0, "x")), [500, "database error, code: PT409"]);
    same((await service.head(place)).status, 404);
    same((await at.get(`${at.open}/refused in parts`)).status, 400);
  } finally {
    await at.sql.unsafe(`drop trigger lt_no_parts on storage.objects; drop function public.lt_no_parts()`).simple();
  }
});
