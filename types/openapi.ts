/** The wire contracts as one OpenAPI document: a table of the routes, and the schemas of this folder. */
import { z } from "zod";
import { ErrorEnvelope, Id } from "./envelope.ts";
import * as guests from "./guests.ts";
import { HealthResponse } from "./health.ts";
import * as imports from "./imports.ts";
import * as media from "./media.ts";
import * as people from "./people.ts";
import { ListEpisodesQuery, ListEpisodesResponse, PodcastResponse, SlugPathParams } from "./public.ts";
import { WakeWorkerRequest } from "./worker.ts";

interface Route {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** Under `<project>/functions/v1`. */
  path: string;
  summary: string;
  /** Without a Bearer token. */
  open?: true;
  /** Instead of a user's token. */
  secret?: true;
  param?: z.ZodObject;
  query?: z.ZodObject;
  json?: z.ZodType;
  /** Media types of a raw binary body. */
  binary?: readonly string[];
  answers: z.ZodType;
  /** Of the answer, when it is not JSON. */
  type?: string;
  /** Of the answer, when it is not 200 alone. */
  status?: number | number[];
  /** Bears an ETag, and answers If-None-Match. */
  validates?: true;
  /** Beside those that its body brings (`refusalsOf`). */
  refusals: number[];
}

const EpisodeSlug = SlugPathParams.extend({ episode: z.string().min(1).describe("Slug or id") });

const COPY = "; while the database is down a copy of the last ten minutes, with Warning: 110";

/** Every route of every function. */
export const routes: Route[] = [
  {
    method: "get",
    path: "/api/health",
    summary: "Whether the functions answer",
    open: true,
    answers: HealthResponse,
    refusals: [],
  },
  {
    method: "get",
    path: "/api/health/ready",
    summary: "Whether the functions can work: asks the database",
    open: true,
    answers: HealthResponse,
    refusals: [503],
  },
  {
    method: "post",
    path: "/api/media/audio/presigned-url",
    summary: "Says where an episode's audio is to be uploaded; checks what the upload will check",
    json: media.PresignAudioRequest,
    answers: media.PresignAudioResponse,
    refusals: [401, 403, 404, 409],
  },
  {
    method: "put",
    path: "/api/media/audio/upload/{uploadId}",
    summary: "Uploads an episode's audio and puts it in place of the previous one",
    param: media.UploadPathParams,
    query: media.UploadAudioQuery,
    binary: media.AudioType.options,
    answers: media.UploadAudioResponse,
    refusals: [401, 403, 404, 409, 413, 500],
  },
  {
    method: "post",
    path: "/api/media/audio/direct-upload",
    summary: "Opens an upload of up to 500 MB that goes to storage by a signed URL",
    json: media.PresignAudioRequest,
    answers: media.DirectUploadResponse,
    refusals: [401, 403, 404, 409, 429, 500],
  },
  {
    method: "post",
    path: "/api/media/audio/direct-upload/complete",
    summary: "Puts what was uploaded in place of the episode's previous audio",
    json: media.CompleteDirectUploadRequest,
    answers: media.UploadAudioResponse,
    refusals: [401, 403, 404, 409, 500],
  },
  {
    method: "post",
    path: "/api/media/presigned-url",
    summary: "Says where an image is to be uploaded, and what it may be",
    json: media.PresignImageRequest,
    answers: media.PresignImageResponse,
    refusals: [401, 403, 404, 409],
  },
  {
    method: "put",
    path: "/api/media/upload/{uploadId}",
    summary: "Uploads an image of a podcast, or the cover of an episode, and puts it in place of the previous one",
    param: media.UploadPathParams,
    query: media.UploadImageQuery,
    binary: media.ImageFormat.options,
    answers: media.UploadImageResponse,
    refusals: [401, 403, 404, 409, 500],
  },
  {
    method: "delete",
    path: "/api/media/image/{podcastId}/{imageType}",
    summary: "Takes an image of a podcast away",
    param: media.PodcastImagePathParams,
    answers: media.DeleteImageResponse,
    refusals: [400, 401, 403, 404, 409, 503],
  },
  {
    method: "get",
    path: "/api/media/episode-cover/{episodeId}/download",
    summary: "The cover that an episode resolves to, as an attachment",
    param: media.EpisodeCoverPathParams,
    answers: z.string(),
    type: "image/*",
    validates: true,
    refusals: [400, 401, 403, 404, 500, 503],
  },
  {
    method: "post",
    path: "/api/media/import-artwork",
    summary: "Fetches an image from the web",
    json: media.ImportArtworkRequest,
    answers: media.ImportArtworkResponse,
    refusals: [401, 403, 404, 409, 429, 500],
  },
  {
    method: "post",
    path: "/api/media/move-artwork",
    summary: "Makes temporary artwork the image of a podcast",
    json: media.MoveArtworkRequest,
    answers: media.UploadImageResponse,
    refusals: [401, 403, 404, 409, 500],
  },
  {
    method: "get",
    path: "/api/episodes/{id}/people",
    summary: "Who takes part in an episode, who is credited in its feed, and who could be added",
    param: people.EpisodePathParams,
    answers: people.ListPeopleResponse,
    refusals: [400, 401, 403, 404, 503],
  },
  {
    method: "post",
    path: "/api/episodes/{id}/people",
    summary: "Puts someone on the roster and, unless it is a guest, into the credits; 200 when they are there already",
    param: people.EpisodePathParams,
    json: people.AddPersonRequest,
    answers: people.AddPersonResponse,
    status: [200, 201],
    refusals: [401, 403, 404, 409, 500],
  },
  {
    method: "put",
    path: "/api/episodes/{id}/people/{personId}",
    summary: "Changes a roster entry; who becomes inactive is credited no more",
    param: people.PersonPathParams,
    json: people.UpdatePersonRequest,
    answers: people.UpdatePersonResponse,
    refusals: [401, 403, 404, 409],
  },
  {
    method: "delete",
    path: "/api/episodes/{id}/people/{personId}",
    summary: "Takes someone off the roster and out of the credits",
    param: people.PersonPathParams,
    answers: people.RemovePersonResponse,
    refusals: [400, 401, 403, 404, 409, 503],
  },
  {
    method: "put",
    path: "/api/episodes/{id}/people/{personId}/credit",
    summary: "Credits someone of the roster, after all others (201), or changes the credit (200)",
    param: people.PersonPathParams,
    json: people.SetCreditRequest,
    answers: people.SetCreditResponse,
    status: [200, 201],
    refusals: [401, 403, 404, 409, 422],
  },
  {
    method: "delete",
    path: "/api/episodes/{id}/people/{personId}/credit",
    summary: "Takes someone out of the credits; the roster entry stays",
    param: people.PersonPathParams,
    answers: people.RemoveCreditResponse,
    refusals: [400, 401, 403, 404, 409, 422, 503],
  },
  {
    method: "put",
    path: "/api/episodes/{id}/credits/reorder",
    summary: "Puts all credits of an episode into a new order",
    param: people.EpisodePathParams,
    json: people.ReorderCreditsRequest,
    answers: people.ReorderCreditsResponse,
    refusals: [401, 403, 404, 409],
  },
  {
    method: "get",
    path: "/api/podcast-guests",
    summary: "A podcast's guests, or those whose name or address contains something",
    query: guests.ListPodcastGuestsQuery,
    answers: guests.ListPodcastGuestsResponse,
    refusals: [400, 401, 403, 404, 503],
  },
  {
    method: "get",
    path: "/api/podcast-guests/{id}",
    summary: "A guest, with the episodes they were invited to",
    param: guests.PodcastGuestPathParams,
    answers: guests.PodcastGuestResponse,
    refusals: [400, 401, 403, 404, 503],
  },
  {
    method: "put",
    path: "/api/podcast-guests/{id}",
    summary: "Changes a guest's name, notes or bio",
    param: guests.PodcastGuestPathParams,
    json: guests.UpdatePodcastGuestRequest,
    answers: guests.UpdatePodcastGuestResponse,
    refusals: [401, 403, 404, 409],
  },
  {
    method: "post",
    path: "/api/guests",
    summary:
      "Invites someone to an episode, or invites them again: an email brings their access token, within the limits",
    json: guests.InviteGuestRequest,
    answers: guests.InvitationResponse,
    status: 201,
    refusals: [401, 403, 404, 409, 429],
  },
  {
    method: "delete",
    path: "/api/guests/{episodeGuestId}",
    summary: "Takes a guest off an episode: their token opens nothing any more",
    param: guests.EpisodeGuestPathParams,
    answers: guests.RemoveEpisodeGuestResponse,
    refusals: [400, 401, 403, 404, 409, 503],
  },
  {
    method: "post",
    path: "/api/guests/accept",
    summary: "Accepts the invitation that an access token came with",
    open: true,
    json: guests.GuestTokenRequest,
    answers: guests.InvitationResponse,
    refusals: [401, 409, 429],
  },
  {
    method: "post",
    path: "/api/guests/decline",
    summary: "Declines the invitation that an access token came with",
    open: true,
    json: guests.GuestTokenRequest,
    answers: guests.InvitationResponse,
    refusals: [401, 409, 429],
  },
  {
    method: "post",
    path: "/api/guests/episode",
    summary: "The episode that an access token opens: its public side",
    open: true,
    json: guests.GuestTokenRequest,
    answers: guests.GuestEpisodeResponse,
    refusals: [401],
  },
  {
    method: "post",
    path: "/api/guests/messages/list",
    summary: "The chat of the episode that an access token opens, newest first",
    open: true,
    json: guests.ListGuestMessagesRequest,
    answers: guests.ListGuestMessagesResponse,
    refusals: [401, 403],
  },
  {
    method: "post",
    path: "/api/guests/messages",
    summary: "Writes into the chat of the episode that an access token opens",
    open: true,
    json: guests.PostGuestMessageRequest,
    answers: guests.GuestMessageResponse,
    status: 201,
    refusals: [401, 403, 409, 429],
  },
  {
    method: "post",
    path: "/api/imports/podcast",
    summary: "Reads a feed and stages its episodes; a locked feed waits for its owner's consent",
    json: imports.StartImportRequest,
    answers: imports.StartImportResponse,
    refusals: [401, 403, 404, 409, 429, 500, 504],
  },
  {
    method: "get",
    path: "/api/imports/{id}",
    summary: "An import with all its items",
    param: imports.ImportPathParams,
    answers: imports.ImportResponse,
    refusals: [400, 401, 403, 404, 503],
  },
  {
    method: "post",
    path: "/api/imports/{id}/verify-ownership",
    summary: "Takes the code that was mailed to the owner of a locked feed",
    param: imports.ImportPathParams,
    json: imports.VerifyOwnershipRequest,
    answers: imports.VerifyOwnershipResponse,
    refusals: [401, 403, 404, 409],
  },
  {
    method: "post",
    path: "/api/imports/{id}/recheck-feed",
    summary: "Reads a locked feed again: it may be unlocked, bear the token, or name its owner now",
    param: imports.ImportPathParams,
    answers: imports.RecheckFeedResponse,
    refusals: [400, 401, 403, 404, 409, 429, 503, 504],
  },
  {
    method: "post",
    path: "/api/imports/{id}/resend-code",
    summary: "Mails a fresh code to the owner of a locked feed",
    param: imports.ImportPathParams,
    answers: imports.ResendCodeResponse,
    refusals: [400, 401, 403, 404, 409, 429, 503],
  },
  {
    method: "post",
    path: "/api/imports/{id}/confirm",
    summary: "Starts importing the newest episodes of a preview",
    param: imports.ImportPathParams,
    json: imports.ConfirmImportRequest,
    answers: imports.ConfirmImportResponse,
    refusals: [401, 403, 404, 409, 500],
  },
  {
    method: "post",
    path: "/api/imports/{id}/cancel",
    summary: "Cancels an import: what is being processed ends, nothing else begins",
    param: imports.ImportPathParams,
    answers: imports.ImportStatusResponse,
    refusals: [400, 401, 403, 404, 409, 503],
  },
  {
    method: "post",
    path: "/api/imports/{id}/retry-failed",
    summary: "Tries every failed episode again; of a canceled import, all that is left",
    param: imports.ImportPathParams,
    answers: imports.RetryFailedItemsResponse,
    refusals: [400, 401, 403, 404, 409, 500, 503],
  },
  {
    method: "post",
    path: "/api/imports/{id}/items/{itemId}/retry",
    summary: "Tries one failed episode again",
    param: imports.ImportItemPathParams,
    answers: imports.RetryItemResponse,
    refusals: [400, 401, 403, 404, 409, 500, 503],
  },
  {
    method: "post",
    path: "/api/imports/{id}/resume",
    summary: "Goes on with a canceled import",
    param: imports.ImportPathParams,
    answers: imports.ImportStatusResponse,
    refusals: [400, 401, 403, 404, 409, 500, 503],
  },
  {
    method: "get",
    path: "/public/v1/podcasts/{slug}",
    summary: `A published podcast${COPY}`,
    open: true,
    param: SlugPathParams,
    answers: PodcastResponse,
    validates: true,
    refusals: [400, 404, 503],
  },
  {
    method: "get",
    path: "/public/v1/podcasts/{slug}/episodes",
    summary: `Its published episodes, newest first${COPY}`,
    open: true,
    param: SlugPathParams,
    query: ListEpisodesQuery,
    answers: ListEpisodesResponse,
    validates: true,
    refusals: [400, 404, 503],
  },
  {
    method: "get",
    path: "/public/v1/openapi.json",
    summary: "This document",
    open: true,
    answers: z.looseObject({}),
    validates: true,
    refusals: [],
  },
  {
    method: "get",
    path: "/public/feeds/{slug}.xml",
    summary: `A podcast's feed${COPY}`,
    open: true,
    param: SlugPathParams,
    answers: z.string(),
    type: "application/rss+xml",
    validates: true,
    refusals: [400, 404, 503],
  },
  {
    method: "get",
    path: "/public/listen/{slug}",
    summary: "The page of a published podcast",
    open: true,
    param: SlugPathParams,
    answers: z.string(),
    type: "text/html",
    refusals: [400, 404, 503],
  },
  {
    method: "get",
    path: "/public/listen/{slug}/{episode}",
    summary: "The page of a published episode",
    open: true,
    param: EpisodeSlug,
    answers: z.string(),
    type: "text/html",
    refusals: [400, 404, 503],
  },
  {
    method: "get",
    path: "/public/ep/{id}",
    summary: "A published episode, to listen to in a frame",
    open: true,
    param: z.object({ id: Id }),
    answers: z.string(),
    type: "text/html",
    refusals: [400, 404, 503],
  },
  {
    method: "get",
    path: "/public/latest/{slug}",
    summary: "A podcast's latest episode, to listen to in a frame",
    open: true,
    param: SlugPathParams,
    answers: z.string(),
    type: "text/html",
    refusals: [400, 404, 503],
  },
  {
    method: "get",
    path: "/public/guest",
    summary: "The page of a guest's invitation; the access token stands behind #token=",
    open: true,
    answers: z.string(),
    type: "text/html",
    refusals: [500, 503],
  },
  {
    method: "post",
    path: "/worker",
    summary: "Wakes the worker: the database calls it",
    secret: true,
    json: WakeWorkerRequest,
    answers: z.strictObject({ success: z.literal(true) }),
    status: 202,
    refusals: [401],
  },
];

/**
 * What a body brings with it: it can be invalid, too slow, too much at once, and JSON has a ceiling of its own. A route
 * that takes no body reads one nevertheless, to reject its fields.
 */
function refusalsOf({ method, binary, refusals }: Route): number[] {
  const brought = [...method !== "get" ? [400, 408, 503] : [], ...method !== "get" && !binary ? [413] : []];
  return [...new Set([...refusals, ...brought])].sort();
}

/** The document. A schema with an id becomes a component, all others stand where they are used. */
export function openApiDocument() {
  const components: Record<string, unknown> = {};

  function schema(of: z.ZodType, io: "input" | "output") {
    const written = z.toJSONSchema(of, {
      io,
      unrepresentable: "any",
      override: ({ jsonSchema }) => lighten(jsonSchema),
    });
    // zod refers to its own $defs; in a document they are components
    const { $schema: _, $defs, ...rest } = JSON.parse(
      JSON.stringify(written).replaceAll('"#/$defs/', `"${COMPONENTS}`),
    );
    Object.assign(components, $defs);
    return rest;
  }

  function parameters(place: "path" | "query", of?: z.ZodObject) {
    if (!of) return [];
    const { properties = {}, required = [] } = schema(of, "input");
    return Object.entries(properties).map(([name, schema]) => ({
      name,
      in: place,
      required: required.includes(name),
      schema,
    }));
  }

  function operation(route: Route) {
    const { summary, param, query, json, binary, answers } = route;
    const { status = 200, type = "application/json", validates } = route;
    const body = json
      ? { "application/json": { schema: schema(json, "input") } }
      : binary && Object.fromEntries(binary.map((type) => [type, {}]));
    const error = { "application/json": { schema: schema(ErrorEnvelope, "output") } };
    const done = {
      description: "Done",
      ...validates && { headers: { etag: ETAG } },
      content: { [type]: { schema: schema(answers, "output") } },
    };
    return {
      summary,
      security: route.open ? [] : [{ [route.secret ? "worker" : "user"]: [] }],
      parameters: [...parameters("path", param), ...parameters("query", query)],
      ...body && { requestBody: { required: !json?.safeParse(undefined).success, content: body } },
      responses: {
        ...Object.fromEntries([status].flat().map((status) => [status, done])),
        ...validates && { 304: { description: "If-None-Match names what is there", headers: { etag: ETAG } } },
        ...Object.fromEntries(
          refusalsOf(route).map((status) => [status, { description: MEANINGS[status], content: error }]),
        ),
      },
    };
  }

  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method] = operation(route);
  return {
    openapi: "3.1.0",
    info: { title: "Castbase", version: "1" },
    servers: [{ url: "/functions/v1" }],
    paths,
    components: {
      securitySchemes: {
        user: { type: "http", scheme: "bearer", description: "The access token of a signed-in user" },
        worker: { type: "http", scheme: "bearer", description: "The worker's secret, which the database knows" },
      },
      schemas: components,
    },
  };
}

const ETAG = { schema: { type: "string" } };
const COMPONENTS = "#/components/schemas/";

/** Leaves out what says nothing new (the pattern of a format), and what is not true: answers may get more members. */
function lighten(schema: z.core.JSONSchema.BaseSchema) {
  if (schema.format || schema.type === "integer") delete schema.pattern;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
}

const MEANINGS: Record<number, string> = {
  400: "A parameter, the body or its content type is invalid",
  401: "Missing or invalid token",
  403: "The caller does not have the role it takes",
  404: "Not found",
  408: "The body, or a source, took too long",
  409: "Conflicts with what is there, or exceeds the allowance",
  413: "The body is too large",
  422: "What it is about is not in a state to take it",
  429: "Too many at once, or too often",
  500: "Our failure",
  503: "Not now",
  504: "A source took too long",
};
