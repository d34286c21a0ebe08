/** /api/media: the images of podcasts, the covers of episodes. */
import { NoFields } from "../../../types/envelope.ts";
import {
  EpisodeCoverPathParams,
  PodcastImagePathParams,
  PresignImageRequest,
  UploadImageQuery,
  UploadPathParams,
} from "../../../types/media.ts";
import { part } from "../../app/app.ts";
import { incoming, peeked } from "../../app/request_body.ts";
import { service } from "../../database/db.ts";
import { imageInfo } from "../../media/image_header.ts";
import { Refusal } from "../../app/errors.ts";
import { flat, succeeded } from "../../app/reply.ts";
import { open } from "../../media/storage.ts";
import { removeNow, settled, storeBody, uploaded } from "../../media/uploads.ts";
import { mediaType, valid } from "../../app/validation.ts";

export const images = part()
  .post("/presigned-url", valid("json", PresignImageRequest), async (c) => {
    return flat(await c.var.db.call("presign_image_upload", c.req.valid("json")));
  })
  .put("/upload/:uploadId", valid("param", UploadPathParams), valid("query", UploadImageQuery), async (c) => {
    const { podcastId, imageType, episodeId } = c.req.valid("query");
    const contentType = mediaType(c.req.header("content-type"));
    const target = { podcastId, imageType, episodeId: episodeId ?? null, contentType };
    const prepared = await c.var.db.call("prepare_image_upload", target);
    if (prepared.status >= 400) return flat(prepared);
    const all = await incoming(c.req.raw, JSON.parse(prepared.text).maxBytes);
    const { seen: image = null, ...body } = await peeked(c.req.raw, all, imageInfo);
    const begun = await c.var.db.call("begin_image_upload", { ...target, bytes: body.size, image });
    if (begun.status >= 400) return flat(begun);
    const { path } = JSON.parse(begun.text);

    const place = imageType === "episode_cover" ? episodeId! : null;
    return succeeded(
      await settled(
        await uploaded(
          path,
          () => storeBody(path, body, contentType),
          () =>
            service`select private.finish_image_upload(${c.var.userId}, ${podcastId}, ${imageType}, ${place}, ${path},
            ${body.size}, ${contentType}, ${JSON.stringify(image)}::text::jsonb)::text as text`,
        ),
      ),
    );
  })
  .delete(
    "/image/:podcastId/:imageType",
    valid("param", PodcastImagePathParams),
    valid("json", NoFields),
    async (c) => {
      const dropped = await c.var.db.call("delete_podcast_image", c.req.valid("param"));
      if (dropped.status >= 400) return flat(dropped);
      const { paths, ...rest } = JSON.parse(dropped.text);
      await removeNow("media", paths);
      return succeeded({ status: 200, text: JSON.stringify(rest) });
    },
  )
  .get("/episode-cover/:episodeId/download", valid("param", EpisodeCoverPathParams), async (c) => {
    const cover = await c.var.db.call("get_episode_cover", c.req.valid("param"));
    if (cover.status >= 400) return flat(cover);
    const { path, filename } = JSON.parse(cover.text);
    const object = await open(path, c.req.raw);
    if (!object) throw new Refusal(404, "No cover of this episode is stored here");
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
  });

/** RFC 6266: a name that every client reads, and the true one (RFC 8187) when that is another. */
function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]+/g, "_").replace(/["\\]/g, "_");
  const exact = encodeURIComponent(filename).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"${plain === filename ? "" : `; filename*=UTF-8''${exact}`}`;
}
