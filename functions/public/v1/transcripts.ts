/** /transcripts: stored transcripts of published episodes, in their own format or converted. */
import { JsonTranscript, TranscriptPathParams } from "../../../types/public.ts";
import { publicReadRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { cacheableReply, freshnessHeaders } from "../../app/reply.ts";
import { STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { podcastKeys } from "../../app/surrogate_keys.ts";
import { valid } from "../../app/validation.ts";
import { canConvert, type TranscriptType } from "../../media/transcripts/formats.ts";
import { findTranscript, readTranscript, transcriptNotFound } from "./stored_transcripts.ts";

export const transcripts = publicReadRouter().get(
  "/:file",
  describeRoute({
    operationId: "getPublicTranscript",
    summary: "Get a stored transcript of a published episode as WebVTT, SubRip or JSON, or HTML as plain text",
    description:
      `In its own format the response redirects to the file. HTML and plain text have no times: 404 in formats with times. ${STALE_COPY_DESCRIPTION}`,
    status: [200, 302],
    response: JsonTranscript,
    responseType: ["text/vtt", "application/x-subrip", "application/json", "text/plain"],
    hasEtag: true,
    errors: [404, 500],
  }),
  valid("param", TranscriptPathParams),
  async (c) => {
    const [id, extension] = c.req.valid("param").file.toLowerCase().split("."), type = TYPES[extension];
    const found = await findTranscript(c.var.reads, id);
    if (!found) throw transcriptNotFound();
    const { value: transcript, ...copy } = found, keys = podcastKeys(transcript.podcast_slug);
    if (transcript.type === type) {
      const headers = { ...freshnessHeaders(c, copy), ...keys, location: transcript.url };
      return new Response(null, { status: 302, headers });
    }
    if (!canConvert(transcript.type, type)) throw transcriptNotFound();
    const value = await readTranscript(transcript, type, c.req.raw);
    return cacheableReply(c, { value, ...copy }, keys, type === "application/json" ? type : `${type}; charset=utf-8`);
  },
);

const TYPES: Record<string, TranscriptType> = {
  vtt: "text/vtt",
  srt: "application/x-subrip",
  json: "application/json",
  html: "text/html",
  txt: "text/plain",
};
