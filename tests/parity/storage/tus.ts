// A client of the resumable protocol, one request at a time, as the tests need it.
import type { Stored } from "./fixture.ts";

export const type = "application/offset+octet-stream";

/** Upload-Metadata: `key base64,key base64`. */
export const encoded = (metadata: Record<string, string>) =>
  Object.entries(metadata).map(([key, value]) => `${key} ${btoa(value)}`).join(",");

/** A request of the protocol with these headers beside its own; fails after two minutes. */
export const tus = (method: string, url: string, headers: Record<string, string>, body?: BodyInit) =>
  fetch(url, { method, headers: { "tus-resumable": "1.0.0", ...headers }, body, signal: AbortSignal.timeout(120_000) });

/** Uploads with a token as storage-js sends it, or with the token of a signed upload URL. */
export function uploader(at: Stored, rights: Record<string, string>, path = "/upload/resumable") {
  return {
    create: (
      bucketName: string,
      objectName: string,
      length: number | string,
      more: Record<string, string> = {},
      headers: Record<string, string> = {},
      body?: BodyInit,
    ) =>
      tus("POST", at.url(path), {
        ...rights,
        "upload-length": String(length),
        "upload-metadata": encoded({ bucketName, objectName, ...more }),
        ...headers,
      }, body),
    /** A part. */
    send: (url: string, offset: number, body: BodyInit, headers: Record<string, string> = {}) =>
      tus("PATCH", url, { ...rights, "content-type": type, "upload-offset": String(offset), ...headers }, body),
    head: (url: string) => tus("HEAD", url, rights),
    remove: (url: string) => tus("DELETE", url, rights),
  };
}

/** As ana, who may write to her folder. */
export const asAna = (at: Stored, headers: Record<string, string> = {}) =>
  uploader(at, { ...tokenOf(at, at.ana), ...headers });

export const tokenOf = (at: Stored, user: { token: string }) => ({
  apikey: at.stack.publishableKey,
  authorization: `Bearer ${user.token}`,
});

/** Where an upload that was created is. */
export const uploadUrlOf = (created: Response) => {
  const place = created.headers.get("location");
  if (created.status !== 201 || !place) throw new Error(`${created.status} instead of an upload's URL`);
  return place;
};

/** The message of an error. */
export const statusAndText = async (response: Response) => [response.status, await response.text()];
