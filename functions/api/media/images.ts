/** /api/media: images of podcasts, covers of episodes and images of chapters. */
import { NoFields } from "../../../types/envelope.ts";
import {
  DeleteImageResponse,
  EpisodeCoverPathParams,
  ImageFormat,
  isImageOfEpisode,
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
import { routeService } from "../../database/service.ts";
import { parseImageHeader } from "../../media/headers/image_header.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { operation } from "../../app/operation.ts";
import { flatReply, parseResult, rawReply } from "../../app/reply.ts";
import { getObject } from "../../media/storage/storage.ts";
import { deleteReplacedObjects, putBody, storeAndFinish, tryCollectGarbage } from "../../media/storage/uploads.ts";
import { mediaType, valid } from "../../app/validation.ts";

export const images = subRouter([
  operation("POST", "/presigned-url", "presign_image_upload", {
    summary: "Get the upload endpoint and limits for an image",
    json: PresignImageRequest,
    reply: rawReply,
    response: PresignImageResponse,
    errors: [403, 404, 409],
  }),
])
  .put(
    "/upload/:uploadId",
    describeRoute({
      operationId: "uploadImage",
      summary: "Upload an image of a podcast, episode or chapter",
      description: "Write the publicUrl of an image of type chapter into image_url of a chapter within a day.",
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
      const { maxBytes } = parseResult(await c.var.db.call("authorize_image_upload", target));
      const all = await openBody(c.req.raw, maxBytes);
      const { detected: image = null, ...body } = await peekBody(c.req.raw, all, parseImageHeader);
      const started = await c.var.db.call("begin_image_upload", { ...target, bytes: body.size, image });
      const { path } = parseResult(started);

      const targetEpisodeId = isImageOfEpisode(imageType) ? episodeId! : null;
      return flatReply(
        await deleteReplacedObjects(
          await storeAndFinish(
            path,
            () => putBody(path, body, contentType),
            () =>
              routeService.text("finish_image_upload", {
                actorId: c.var.userId,
                podcastId,
                imageType,
                episodeId: targetEpisodeId,
                path,
                bytes: body.size,
                contentType,
                image,
              }),
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
      const { paths, ...rest } = parseResult(await c.var.db.call("delete_podcast_image", c.req.valid("param")));
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
      errors: [403, 404, 500],
    }),
    valid("param", EpisodeCoverPathParams),
    async (c) => {
      const { path, filename } = parseResult(await c.var.db.call("get_episode_cover", c.req.valid("param")));
      const object = await getObject(path, c.req.raw);
      if (!object) throw new ApiError(404, "No hosted cover found for this episode");
      const headers = new Headers({
        "content-disposition": contentDisposition(filename),
        "cache-control": "private, no-cache", // the URL stays the same when the cover changes
      });
      for (const name of ["content-type", "content-length", "etag"]) {
        const value = object.headers.get(name);
        if (value) headers.set(name, value);
      }
      const body = c.req.method === "HEAD" ? null : object.body; // getObject released the body of a HEAD
      return new Response(body, { status: object.status, headers });
    },
  );

/** RFC 6266: an ASCII filename for every client, and the exact one (RFC 8187) if it differs. */
function contentDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]+/g, "_").replace(/["\\]/g, "_");
  const exact = encodeURIComponent(filename).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"${plain === filename ? "" : `; filename*=UTF-8''${exact}`}`;
}
