/** /api/media/transcript: uploads of transcripts, which are stored, and of chapters, which become rows. */
import {
  PresignTranscriptRequest,
  PresignTranscriptResponse,
  TranscriptUploadType,
  UNKNOWN_TRANSCRIPT_TYPE,
  UploadChaptersResponse,
  UploadPathParams,
  UploadTranscriptQuery,
  UploadTranscriptResponse,
} from "../../../types/media.ts";
import { subRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { readBody } from "../../app/request_body.ts";
import { routeService } from "../../database/service.ts";
import { flatReply, parseResult, rawReply } from "../../app/reply.ts";
import { putObject } from "../../media/storage/storage.ts";
import { CHAPTERS_TYPE, nameRejectedChapter, parseChapters } from "../../media/transcripts/chapters_file.ts";
import {
  checkTranscript,
  declaredType,
  openTranscript,
  storedTranscriptType,
} from "../../media/transcripts/formats.ts";
import { storeAndFinish } from "../../media/storage/uploads.ts";
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
      const request = c.req.valid("json"), contentType = declaredType(request.contentType) ?? "text/plain";
      return rawReply(await c.var.db.call("presign_transcript_upload", { ...request, contentType }));
    },
  )
  .put(
    "/upload/:uploadId",
    describeRoute({
      operationId: "uploadTranscript",
      summary: "Upload a transcript, replacing that of the same type and language, or replace the chapters",
      description: "The bytes decide the format. SBV, and plain text with times, become WebVTT; send them as " +
        "text/plain, application/octet-stream or without a type. What players accept or skip is repaired, and " +
        "warnings lists it. A file without anything readable is 400 INVALID_TRANSCRIPT, and details names the line. " +
        "A body of the type application/json+chapters replaces the rows of episode_chapters; an invalid one is 400 " +
        "INVALID_CHAPTERS.",
      bodyTypes: [...TranscriptUploadType.options, UNKNOWN_TRANSCRIPT_TYPE],
      response: UploadTranscriptResponse.or(UploadChaptersResponse),
      errors: [403, 404, 409, 413, 500],
    }),
    valid("param", UploadPathParams),
    valid("query", UploadTranscriptQuery),
    async (c) => {
      const { podcastId, episodeId, language = null, rel = null } = c.req.valid("query");
      const declared = declaredType(mediaType(c.req.header("content-type")));
      const target = { podcastId, episodeId, contentType: declared ?? "text/plain", language };
      const authorized = await c.var.db.call("authorize_transcript_upload", { ...target, rel });
      const { maxBytes, contentType: expected } = parseResult(authorized);
      const { size, bytes } = await readBody(c.req.raw, maxBytes, "uploads");
      const begin = async (contentType: string) =>
        parseResult(await c.var.db.call("begin_transcript_upload", { ...target, contentType, bytes: size }));
      if (expected === CHAPTERS_TYPE) {
        await begin(expected);
        const chapters = await parseChapters(bytes);
        const replace = () => c.var.db.call("set_episode_chapters", { episodeId, chapters });
        return flatReply(await nameRejectedChapter(bytes, replace));
      }
      const opened = await openTranscript(declared && expected, bytes);
      const { path } = await begin(opened.type), file = await checkTranscript(opened);
      const finished = await storeAndFinish(
        path,
        () => putObject(path, file.bytes, storedTranscriptType(opened.type)),
        () =>
          routeService.text("finish_transcript_upload", {
            actorId: c.var.userId,
            podcastId,
            episodeId,
            path,
            bytes: file.bytes.length,
            contentType: opened.type,
            language,
            rel,
          }),
      );
      return flatReply({
        ...finished,
        text: JSON.stringify({ ...JSON.parse(finished.text), warnings: file.warnings }),
      });
    },
  );
