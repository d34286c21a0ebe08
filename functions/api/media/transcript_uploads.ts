/** /api/media/transcript: uploads of transcripts, which are stored, and of chapters, which become rows. */
import {
  PresignTranscriptRequest,
  PresignTranscriptResponse,
  TranscriptUploadType,
  UploadChaptersResponse,
  UploadPathParams,
  UploadTranscriptQuery,
  UploadTranscriptResponse,
} from "../../../types/media.ts";
import { subRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { readBody } from "../../app/request_body.ts";
import { routeSql } from "../../database/db.ts";
import { flatReply, rawReply } from "../../app/reply.ts";
import { putObject } from "../../media/storage.ts";
import { CHAPTERS_TYPE, nameRejectedChapter, parseChapters } from "../../media/transcripts/chapters_file.ts";
import { checkTranscript, storedTranscriptType } from "../../media/transcripts/formats.ts";
import { storeAndFinish } from "../../media/uploads.ts";
import { mediaType, valid } from "../../app/validation.ts";

export const transcriptUploads = subRouter()
  .post(
    "/presigned-url",
    describeRoute({
      operationId: "presignTranscriptUpload",
      summary: "Get the upload endpoint for a transcript or for chapters, with the same checks as the upload",
      response: PresignTranscriptResponse,
      errors: [403, 404, 409],
    }),
    valid("json", PresignTranscriptRequest),
    async (c) => {
      return rawReply(await c.var.db.call("presign_transcript_upload", c.req.valid("json")));
    },
  )
  .put(
    "/upload/:uploadId",
    describeRoute({
      operationId: "uploadTranscript",
      summary: "Upload a transcript, replacing that of the same type and language, or replace the chapters",
      description: "A body of the type application/json+chapters replaces the rows of episode_chapters. An invalid " +
        "file is 400 INVALID_TRANSCRIPT or INVALID_CHAPTERS, and details names the line.",
      bodyTypes: TranscriptUploadType.options,
      response: UploadTranscriptResponse.or(UploadChaptersResponse),
      errors: [403, 404, 409, 413, 500],
    }),
    valid("param", UploadPathParams),
    valid("query", UploadTranscriptQuery),
    async (c) => {
      const { podcastId, episodeId, language = null, rel = null } = c.req.valid("query");
      const target = { podcastId, episodeId, contentType: mediaType(c.req.header("content-type")), language };
      const authorized = await c.var.db.call("authorize_transcript_upload", { ...target, rel });
      if (authorized.status >= 400) return rawReply(authorized);
      const { maxBytes, contentType } = JSON.parse(authorized.text);
      const { size, bytes } = await readBody(c.req.raw, maxBytes, "uploads");
      const started = await c.var.db.call("begin_transcript_upload", { ...target, contentType, bytes: size });
      if (started.status >= 400) return rawReply(started);
      if (contentType === CHAPTERS_TYPE) {
        const chapters = await parseChapters(bytes);
        const replace = () => c.var.db.call("set_episode_chapters", { episodeId, chapters });
        return flatReply(await nameRejectedChapter(bytes, replace));
      }
      const { path } = JSON.parse(started.text);
      const file = await checkTranscript(contentType, bytes);
      return flatReply(
        await storeAndFinish(
          path,
          () => putObject(path, file, storedTranscriptType(contentType)),
          () =>
            routeSql`select private.finish_transcript_upload(${c.var.userId}, ${podcastId}, ${episodeId}, ${path},
          ${file.length}, ${contentType}, ${language}, ${rel})::text as text`,
        ),
      );
    },
  );
