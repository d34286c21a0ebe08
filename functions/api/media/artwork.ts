/** /api/media: artwork from the web, imported and, once there is a podcast for it, moved there. */
import {
  ImportArtworkRequest,
  ImportArtworkResponse,
  MoveArtworkRequest,
  UploadImageResponse,
} from "../../../types/media.ts";
import { getAllowedHosts } from "../../app/allowed_hosts.ts";
import { subRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { serviceSql } from "../../database/db.ts";
import { FetchError, readAll, requireOk, safeFetch } from "../../safe_fetch/safe_fetch.ts";
import { reserve } from "../../app/body_memory.ts";
import { parseImageHeader } from "../../media/image_header.ts";
import { ApiError } from "../../app/errors.ts";
import { flatReply, rawReply } from "../../app/reply.ts";
import { copyObject, putObject } from "../../media/storage.ts";
import { deleteReplacedObjects, storeAndFinish } from "../../media/uploads.ts";
import { mediaType, valid } from "../../app/validation.ts";

/** For the whole fetch: redirects, the body and all (contract, Limits). */
const LONGEST_MS = 30_000;

export const artwork = subRouter()
  .post(
    "/import-artwork",
    describeRoute({
      operationId: "importArtwork",
      summary: "Import artwork from a URL",
      response: ImportArtworkResponse,
      errors: [403, 404, 409, 429, 500],
    }),
    valid("json", ImportArtworkRequest),
    async (c) => {
      const { url, podcastId = null, imageType } = c.req.valid("json");
      const prepared = await c.var.db.call("authorize_artwork_import", { imageType, podcastId });
      if (prepared.status >= 400) return rawReply(prepared);

      const { bytes, declared } = await fetched(url, JSON.parse(prepared.text));
      reserve(c.req.raw, bytes.length);
      const image = parseImageHeader(bytes) ?? null;
      const contentType = declared ?? image?.type ?? "";
      const begun = await c.var.db.call("begin_artwork_import", {
        imageType,
        podcastId,
        contentType,
        bytes: bytes.length,
        image,
      });
      if (begun.status >= 400) return rawReply(begun);
      const { path } = JSON.parse(begun.text);

      const done = await storeAndFinish(
        path,
        () => putObject(path, bytes, contentType),
        () =>
          podcastId
            ? serviceSql`select private.finish_image_upload(${c.var.userId}, ${podcastId}, ${imageType}, null, ${path},
            ${bytes.length}, ${contentType}, ${JSON.stringify(image)}::text::jsonb)::text as text`
            : serviceSql`select private.finish_artwork_import(${c.var.userId}, ${path}, ${bytes.length}, ${contentType},
            ${JSON.stringify(image)}::text::jsonb)::text as text`,
      );
      const { text } = await deleteReplacedObjects(done);
      const { width, height } = image!;
      return c.json({ success: true, ...JSON.parse(text), dimensions: { width, height }, isTemporary: !podcastId });
    },
  )
  .post(
    "/move-artwork",
    describeRoute({
      operationId: "moveArtwork",
      summary: "Move temporary artwork to a podcast",
      response: UploadImageResponse,
      errors: [403, 404, 409, 500],
    }),
    valid("json", MoveArtworkRequest),
    async (c) => {
      const { sourcePath, podcastId, imageType } = c.req.valid("json");
      const moved = async (failure?: unknown): Promise<Response> => {
        const begun = await c.var.db.call("begin_artwork_move", { sourcePath, podcastId, imageType });
        if (begun.status >= 400) return rawReply(begun);
        const { alreadyMoved, contentType, path, publicUrl } = JSON.parse(begun.text);
        if (alreadyMoved) return c.json({ success: true, path, publicUrl });
        if (failure) throw failure;

        const move = () => copyObject({ from: { bucket: "media", path: sourcePath }, to: path }, contentType);
        const finish = () =>
          serviceSql<
            { text: string }[]
          >`select private.finish_artwork_move(${c.var.userId}, ${sourcePath}, ${podcastId}, ${imageType}, ${path})::text as text`;
        try {
          return flatReply(await deleteReplacedObjects(await storeAndFinish(path, move, finish)));
        } catch (error) {
          return await moved(error); // someone else may have moved it meanwhile, which says more
        }
      };
      return await moved();
    },
  );

/** What servers say that do not know what they send. */
const GENERIC = new Set(["", "application/octet-stream", "binary/octet-stream"]);

/**
 * What an address holds, and what its server says that it is; undefined when the server does not know. Nothing is read of
 * what is said to be of another format.
 */
async function fetched(url: string, { maxBytes, formats }: { maxBytes: number; formats: string[] }) {
  try {
    const response = requireOk(
      await safeFetch(url, {
        timeoutMs: LONGEST_MS,
        allowedHosts: await getAllowedHosts(),
        headers: { accept: formats.join(", ") }, // who can choose does not choose one that is refused
      }),
    );
    const type = mediaType(response.headers.get("content-type")).replace("image/jpg", "image/jpeg");
    const declared = GENERIC.has(type) ? undefined : type;
    if (!declared || formats.includes(declared)) return { bytes: await readAll(response, maxBytes), declared };
    await response.body.cancel();
    return { bytes: new Uint8Array(), declared };
  } catch (failure) {
    if (!(failure instanceof FetchError)) throw failure;
    const { code, message, cause } = failure;
    if (code === "TOO_LARGE") {
      throw new ApiError(400, "File too large", { code: "FILE_TOO_LARGE", extra: { maxBytes } });
    }
    throw new ApiError(code === "TIMEOUT" ? 408 : 400, message, { code, cause });
  }
}
