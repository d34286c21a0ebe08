/** /api/media: uploads. Who may, how much and when is decided in sql/30_episodes; the bytes pass through here. */
import { AudioPresign, AudioUpload, UploadId } from "../../types/media.ts";
import { router } from "../_shared/app.ts";
import { received } from "../_shared/bytes.ts";
import { retried, service, setting } from "../_shared/db.ts";
import { flat, succeeded } from "../_shared/reply.ts";
import { discard, store } from "../_shared/storage.ts";
import { mediaType, valid } from "../_shared/valid.ts";

export const media = router()
  .post("/audio/presigned-url", valid("json", AudioPresign), async (c) => {
    return flat(await c.var.db.call("presign_audio_upload", c.req.valid("json")));
  })
  .put("/audio/upload/:uploadId", valid("param", UploadId), valid("query", AudioUpload), async (c) => {
    const { podcastId, episodeId, duration } = c.req.valid("query");
    const contentType = mediaType(c.req.raw);
    // One call decides on all of it, the size included: a stranger hears 403 whatever they send
    const { size, bytes } = await received(c.req.raw, Number(await setting("audio_upload_cap_bytes")));
    const begun = await c.var.db.call("begin_audio_upload", { podcastId, episodeId, contentType, bytes: size });
    if (begun.status >= 400) return flat(begun);
    const { path, publicUrl, expectedAudioUrl } = JSON.parse(begun.text) as Begun;

    try {
      await store(path, bytes, contentType);
      // Server-side columns: only the service may write them, and only over the audio that begin_audio_upload saw
      const [{ text }] = await retried(() =>
        service<{ text: string }[]>`
          select private.finish_audio_upload(${c.var.userId}, ${podcastId}, ${episodeId}, ${path}, ${size},
            ${contentType}, ${duration ?? null}, ${expectedAudioUrl})::text as text`
      );
      return succeeded({ status: 200, text });
    } catch (error) {
      await compensate(episodeId, path, publicUrl);
      throw error;
    }
  });

interface Begun {
  path: string;
  publicUrl: string;
  expectedAudioUrl: string | null;
}

/**
 * Removes the object of an upload that failed. A lost connection may hide a write that succeeded, or still will: the
 * episode is asked under its lock, which a write under way holds, and one that comes later finds no object. The wait
 * ends with the statement timeout. What cannot be settled now is left to the daily sweep.
 */
async function compensate(episodeId: string, path: string, publicUrl: string): Promise<void> {
  for (const pause of [0, 100, 400]) {
    try {
      await new Promise((resolve) => setTimeout(resolve, pause));
      return await service.begin(async (sql) => {
        const [row] = await sql`select audio_url from public.episodes where id = ${episodeId} for update`;
        if (row?.audio_url !== publicUrl) await discard([path]);
      });
    } catch (error) {
      console.error(JSON.stringify({ message: "An upload's object was not removed", path, error: String(error) }));
    }
  }
}
