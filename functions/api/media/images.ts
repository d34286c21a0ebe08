/** /api/media: the images of podcasts, the covers of episodes. */
import { NoFields } from "../../../types/envelope.ts";
import {
  DeleteImageResponse,
  EpisodeCoverPathParams,
  ImageFormat,
  PodcastImagePathParams,
  PresignImageRequest,
  PresignImageResponse,
  UploadImageQuery,
  UploadImageResponse,
  UploadPathParams,
} from "../../../types/media.ts";
import { subRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { openBody, peekBody } from "../../app/request_body.ts";
import { serviceSql } from "../../database/db.ts";
import { parseImageHeader } from "../../media/image_header.ts";
import { ApiError } from "../../app/errors.ts";
import { flatReply, rawReply } from "../../app/reply.ts";
import { getObject } from "../../media/storage.ts";
import { deleteReplacedObjects, putBody, storeAndFinish, tryCollectGarbage } from "../../media/uploads.ts";
import { mediaType, valid } from "../../app/validation.ts";

export const images = subRouter()
  .post(
    "/presigned-url",
    describeRoute({
      operationId: "presignImageUpload",
      summary: "Get the upload endpoint and limits for an image",
      response: PresignImageResponse,
      errors: [403, 404, 409],
    }),
    valid("json", PresignImageRequest),
    async (c) => {
      return rawReply(await c.var.db.call("presign_image_upload", c.req.valid("json")));
    },
  )
  .put(
    "/upload/:uploadId",
    describeRoute({
      operationId: "uploadImage",
      summary: "Upload a podcast image or episode cover",
      bodyTypes: ImageFormat.options,
      response: UploadImageResponse,
      errors: [403, 404, 409, 500],
    }),
    valid("param", UploadPathParams),
    valid("query", UploadImageQuery),
    async (c) => {
      const { podcastId, imageType, episodeId } = c.req.valid("query");
      const contentType = mediaType(c.req.header("content-type"));
      const target = { podcastId, imageType, episodeId: episodeId ?? null, contentType };
      const prepared = await c.var.db.call("authorize_image_upload", target);
      if (prepared.status >= 400) return rawReply(prepared);
      const all = await openBody(c.req.raw, JSON.parse(prepared.text).maxBytes);
      const { detected: image = null, ...body } = await peekBody(c.req.raw, all, parseImageHeader);
      const begun = await c.var.db.call("begin_image_upload", { ...target, bytes: body.size, image });
      if (begun.status >= 400) return rawReply(begun);
      const { path } = JSON.parse(begun.text);

      const place = imageType === "episode_cover" ? episodeId! : null;
      return flatReply(
        await deleteReplacedObjects(
          await storeAndFinish(
            path,
            () => putBody(path, body, contentType),
            () =>
              serviceSql`select private.finish_image_upload(${c.var.userId}, ${podcastId}, ${imageType}, ${place}, ${path},
            ${body.size}, ${contentType}, ${JSON.stringify(image)}::text::jsonb)::text as text`,
          ),
        ),
      );
    },
  )
  .delete(
    "/image/:podcastId/:imageType",
    describeRoute({
      operationId: "deletePodcastImage",
      summary: "Delete a podcast image",
      response: DeleteImageResponse,
      errors: [403, 404, 409],
    }),
    valid("param", PodcastImagePathParams),
    valid("json", NoFields),
    async (c) => {
      const dropped = await c.var.db.call("delete_podcast_image", c.req.valid("param"));
      if (dropped.status >= 400) return rawReply(dropped);
      const { paths, ...rest } = JSON.parse(dropped.text);
      await tryCollectGarbage("media", paths);
      return flatReply({ status: 200, text: JSON.stringify(rest) });
    },
  )
  .get(
    "/episode-cover/:episodeId/download",
    describeRoute({
      operationId: "downloadEpisodeCover",
      summary: "Download an episode's effective cover",
      responseType: "image/*",
      hasEtag: true,
      errors: [403, 404, 500, 503],
    }),
    valid("param", EpisodeCoverPathParams),
    async (c) => {
      const cover = await c.var.db.call("get_episode_cover", c.req.valid("param"));
      if (cover.status >= 400) return rawReply(cover);
      const { path, filename } = JSON.parse(cover.text);
      const object = await getObject(path, c.req.raw);
      if (!object) throw new ApiError(404, "No cover of this episode is stored here");
      const headers = new Headers({
        "content-disposition": attachment(filename),
        "cache-control": "private, no-cache", // the address stays when the cover changes
        "x-content-type-options": "nosniff",
      });
      for (const name of ["content-type", "content-length", "etag"]) {
        const value = object.headers.get(name);
        if (value) headers.set(name, value);
      }
      const body = c.req.method === "HEAD" ? null : object.body; // of a HEAD it was let go
      return new Response(body, { status: object.status, headers });
    },
  );

/** RFC 6266: a name that every client reads, and the true one (RFC 8187) when that is another. */
function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]+/g, "_").replace(/["\\]/g, "_");
  const exact = encodeURIComponent(filename).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"${plain === filename ? "" : `; filename*=UTF-8''${exact}`}`;
}
