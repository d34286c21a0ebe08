/** /api/media: artwork imported from a URL, and moving temporary artwork to a podcast. */
import {
  ImportArtworkRequest,
  ImportArtworkResponse,
  MoveArtworkRequest,
  UploadImageResponse,
} from "../../../types/media.ts";
import { getFetchSettings } from "../../database/fetch_settings.ts";
import { subRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { routeService } from "../../database/service.ts";
import { fetchFile } from "../../safe_fetch/fetch_file.ts";
import { FetchError } from "../../safe_fetch/safe_fetch.ts";
import { reserve } from "../../app/body_memory.ts";
import { parseImageHeader } from "../../media/headers/image_header.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { flatReply, parseResult } from "../../app/reply.ts";
import { copyObject, putObject } from "../../media/storage/storage.ts";
import { deleteReplacedObjects, storeAndFinish } from "../../media/storage/uploads.ts";
import { mediaType, valid } from "../../app/validation.ts";

/** Limit of the whole fetch, including redirects and the body. */
const FETCH_TIMEOUT_MS = 30_000;

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
      const authorized = await c.var.db.call("authorize_artwork_import", { imageType, podcastId });
      const { bytes, declared } = await fetchImage(url, parseResult(authorized));
      reserve(c.req.raw, bytes.length);
      const image = parseImageHeader(bytes) ?? null;
      const contentType = declared ?? image?.type ?? "";
      const started = await c.var.db.call("begin_artwork_import", {
        imageType,
        podcastId,
        contentType,
        bytes: bytes.length,
        image,
      });
      const { path } = parseResult(started);

      const stored = { actorId: c.var.userId, path, bytes: bytes.length, contentType, image: image! };
      const result = await storeAndFinish(
        path,
        () => putObject(path, bytes, contentType),
        () =>
          podcastId
            ? routeService.text("finish_image_upload", { ...stored, podcastId, imageType })
            : routeService.text("finish_artwork_import", stored),
      );
      const { text } = await deleteReplacedObjects(result);
      const { width, height } = stored.image;
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
      const tryMove = async (failure?: unknown): Promise<Response> => {
        const started = await c.var.db.call("begin_artwork_move", { sourcePath, podcastId, imageType });
        const { alreadyMoved, contentType, path, publicUrl } = parseResult(started);
        if (alreadyMoved) return c.json({ success: true, path, publicUrl });
        if (failure) throw failure;

        const move = () => copyObject({ from: { bucket: "media", path: sourcePath }, to: path }, contentType);
        const finish = () =>
          routeService.text("finish_artwork_move", { actorId: c.var.userId, sourcePath, podcastId, imageType, path });
        try {
          return flatReply(await deleteReplacedObjects(await storeAndFinish(path, move, finish)));
        } catch (error) {
          return await tryMove(error); // a concurrent move explains the failure better
        }
      };
      return await tryMove();
    },
  );

/** Content types of servers that do not know the type. */
const GENERIC_TYPES = new Set(["", "application/octet-stream", "binary/octet-stream"]);

function declaredType(headers: Headers): string | undefined {
  const type = mediaType(headers.get("content-type")).replace("image/jpg", "image/jpeg");
  return GENERIC_TYPES.has(type) ? undefined : type;
}

/** Fetches an image and its declared type, undefined if generic. The body of another declared format is not read. */
async function fetchImage(url: string, { maxBytes, formats }: { maxBytes: number; formats: string[] }) {
  try {
    const { headers, bytes } = await fetchFile(url, {
      maxBytes,
      timeoutMs: FETCH_TIMEOUT_MS,
      ...await getFetchSettings(),
      accept: formats.join(", "),
      isWanted(headers) {
        const type = declaredType(headers);
        return type === undefined || formats.includes(type);
      },
    });
    return { bytes, declared: declaredType(headers) };
  } catch (failure) {
    if (!(failure instanceof FetchError)) throw failure;
    const { code, message, cause } = failure;
    if (code === "TOO_LARGE") {
      throw new ApiError(400, "File too large", { code: "FILE_TOO_LARGE", extra: { maxBytes } });
    }
    throw new ApiError(code === "TIMEOUT" ? 408 : 400, message, { code, cause });
  }
}
