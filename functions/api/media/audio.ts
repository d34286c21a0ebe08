/** /api/media/audio: audio uploads through this function, and direct uploads to storage. */
import {
  AudioType,
  CompleteDirectUploadRequest,
  DirectUploadResponse,
  PresignAudioRequest,
  PresignAudioResponse,
  UploadAudioQuery,
  UploadAudioResponse,
  UploadPathParams,
} from "../../../types/media.ts";
import { subRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { describeCause, logError, logInfo } from "../../runtime/log.ts";
import { operation } from "../../app/operation.ts";
import { declaredBytes, openBody } from "../../app/request_body.ts";
import type { RpcResult } from "../../database/db.ts";
import { routeService } from "../../database/service.ts";
import { flatReply, parseResult, rawReply } from "../../app/reply.ts";
import { copyObject, createSignedUploadUrl } from "../../media/storage/storage.ts";
import { putBody, storeAndFinish, tryCollectGarbage } from "../../media/storage/uploads.ts";
import { mediaType, valid } from "../../app/validation.ts";

/** Time for the check of a stored file, while the client waits. */
const MAX_CHECK_MS = 2000;

export const audio = subRouter([
  operation("POST", "/presigned-url", "presign_audio_upload", {
    summary: "Get the upload endpoint for an episode's audio, with the same checks as the upload",
    json: PresignAudioRequest,
    reply: rawReply,
    response: PresignAudioResponse,
    errors: [403, 404, 409],
  }),
])
  .put(
    "/upload/:uploadId",
    describeRoute({
      operationId: "uploadAudio",
      summary: "Upload an episode's audio, replacing any existing audio",
      bodyTypes: AudioType.options,
      response: UploadAudioResponse,
      errors: [403, 404, 409, 413, 500],
    }),
    valid("param", UploadPathParams),
    valid("query", UploadAudioQuery),
    async (c) => {
      const { podcastId, episodeId, duration } = c.req.valid("query");
      const contentType = mediaType(c.req.header("content-type"));
      const target = { podcastId, episodeId, contentType };
      let maxBytes = declaredBytes(c.req.raw);
      if (maxBytes === undefined) { // openBody buffers this body to measure it, so authorize the caller first
        ({ maxBytes } = parseResult(await c.var.db.call("authorize_audio_upload", target)) as { maxBytes: number });
      }
      const body = await openBody(c.req.raw, maxBytes);
      const started = await c.var.db.call("begin_audio_upload", { ...target, bytes: body.size });
      const { path, expectedAudioUrl } = parseResult(started);

      const audio = { ...target, path, bytes: body.size, expectedAudioUrl };
      const store = () => putBody(path, body, contentType);
      const finish = () => finishUpload(c.var.userId, audio, duration);
      return flatReply(await withWarning(await storeAndFinish(path, store, finish), audio));
    },
  )
  .post(
    "/direct-upload",
    describeRoute({
      operationId: "beginDirectUpload",
      summary: "Start a direct upload of up to 500 MB to a signed storage URL",
      response: DirectUploadResponse,
      errors: [403, 404, 409, 429, 500],
    }),
    valid("json", PresignAudioRequest),
    async (c) => {
      const { storageUrl, ...upload } = parseResult(await c.var.db.call("begin_direct_upload", c.req.valid("json")));
      const { url, token } = await createSignedUploadUrl("staging", upload.uploadPath);
      return c.json({
        ...upload,
        uploadUrl: storageUrl + url,
        token,
        resumableUrl: `${storageUrl}/upload/resumable/sign`,
        expiresAt: parseExpiry(token),
        completeEndpoint: "/api/media/audio/direct-upload/complete",
      });
    },
  )
  .post(
    "/direct-upload/complete",
    describeRoute({
      operationId: "completeDirectUpload",
      summary: "Complete a direct upload, replacing the episode's audio",
      response: UploadAudioResponse,
      errors: [403, 404, 409, 500],
    }),
    valid("json", CompleteDirectUploadRequest),
    async (c) => {
      const { uploadId, duration } = c.req.valid("json");
      const tryComplete = async (failure?: unknown): Promise<Response> => {
        const started = await c.var.db.call("begin_direct_upload_completion", { uploadId });
        const { stagedPath, lease, ...audio } = parseResult(started);
        if (failure && stagedPath) {
          await releaseLease(uploadId, lease);
          throw failure;
        }

        // The copy is served, because the client could still change bytes, type and headers of its own object
        const stage = () =>
          stagedPath
            ? copyObject({ from: { bucket: "staging", path: stagedPath }, to: audio.path }, audio.contentType)
            : Promise.resolve();
        const finish = () => finishUpload(c.var.userId, audio, duration);
        try {
          const result = await storeAndFinish(audio.path, stage, finish);
          await tryCollectGarbage("staging", stagedPath ? [stagedPath] : []);
          return flatReply(await withWarning(result, audio));
        } catch (error) {
          await releaseLease(uploadId, lease);
          if (failure) throw error;
          return await tryComplete(error); // a concurrent completion explains the failure better
        }
      };
      return await tryComplete();
    },
  );

interface StoredAudio {
  podcastId: string;
  episodeId: string;
  path: string;
  bytes: number;
  contentType: string;
  /** The audio when the upload began. */
  expectedAudioUrl: string | null;
}

/** Only the service may write audio columns, and only while the episode has the expected audio. */
const finishUpload = (actorId: string, audio: StoredAudio, durationSeconds: number | null = null) =>
  routeService.text("finish_audio_upload", { actorId, ...audio, durationSeconds });

/** Says what apps cannot do well with the stored file. The upload has succeeded even if this check fails. */
async function withWarning(result: RpcResult, { path, contentType }: Pick<StoredAudio, "path" | "contentType">) {
  if (contentType !== "audio/mpeg") return result;
  const { findAudioWarning } = await import("../../media/audio_probe/probe_stored_audio.ts");
  const warning = await findAudioWarning(path, AbortSignal.timeout(MAX_CHECK_MS)).catch((cause) =>
    logInfo({ message: "audio was not checked for a seek table", path, cause: describeCause(cause) })
  );
  return warning ? { ...result, text: JSON.stringify({ ...JSON.parse(result.text), warning }) } : result;
}

/** Expiry of a signed token, in ISO 8601. */
function parseExpiry(token: string): string {
  const { exp } = JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));
  return new Date(exp * 1000).toISOString().replace(".000Z", "Z");
}

/** A lease that cannot be released expires. */
async function releaseLease(uploadId: string, lease: string | null): Promise<void> {
  if (lease === null) return;
  await routeService("release_direct_upload_lease", { uploadId, lease }).catch((error) =>
    logError({ message: "Failed to release the lease of a completion", upload_id: uploadId, error })
  );
}
