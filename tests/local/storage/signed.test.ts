// Tokens of signed URLs that the test signs with the stack's secret.
import { deepStrictEqual as same } from "node:assert";
import { devKeys } from "../../../local/auth/keys.ts";
import { createSigning } from "../../../local/storage/signing.ts";
import { refusal, storageTest } from "../../parity/storage/fixture.ts";
import { statusAndText, tokenOf, tus, type, uploader, uploadUrlOf } from "../../parity/storage/tus.ts";

storageTest("a signed URL expires", async (at) => {
  await at.raw("PUT", `/object/${at.closed}/brief`, { body: "x" });
  const url = `${at.closed}/brief`;
  const token = (seconds: number) => createSigning(devKeys.jwtSecret).sign("download", { url }, seconds);
  same((await fetch(at.url(`/object/sign/${url}?token=${await token(60)}`))).status, 200);
  const over = await refusal(await fetch(at.url(`/object/sign/${url}?token=${await token(-60)}`)));
  same([over.statusCode, over.code, over.message], ["400", "InvalidJWT", '"exp" claim timestamp check failed']);
});

storageTest("a signed resumable upload needs a valid upload token for its object", async (at) => {
  const key = at.ownKey("signed elsewhere"), url = `${at.closed}/${key}`;
  const { sign } = createSigning(devKeys.jwtSecret);
  const place = uploadUrlOf(
    await uploader(at, { "x-signature": await sign("upload", { url }, 60) }, "/upload/resumable/sign").create(
      at.closed,
      key,
      1,
    ),
  );
  const tokens: [headers: Record<string, string>, message: string][] = [
    [tokenOf(at, at.ana), "Missing x-signature header"],
    [{ "x-signature": "no" }, "Invalid Compact JWS"],
    [{ "x-signature": await sign("upload", { url: `${url}.other` }, 60) }, "Invalid signature"],
    [{ "x-signature": await sign("download", { url }, 60) }, "Token is not scoped for upload"],
    [{ "x-signature": await sign("upload", { url }, -60) }, '"exp" claim timestamp check failed'],
  ];
  for (const [headers, message] of tokens) {
    const signed = uploader(at, headers, "/upload/resumable/sign");
    same(await statusAndText(await signed.create(at.closed, key, 1)), [400, message]);
    same(await statusAndText(await signed.send(place, 0, "x")), [400, message]);
    same(await statusAndText(await signed.remove(place)), [400, message]);
    same((await signed.head(place)).status, 400);
  }
  const unsigned = place.replace("/sign/", "/");
  const withToken = await tus(
    "PATCH",
    unsigned,
    { "x-signature": "no", "upload-offset": "0", "content-type": type },
    "x",
  );
  same((await refusal(withToken)).message, "Invalid Compact JWS");
});
