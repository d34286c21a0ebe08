// Requests to each route of the OpenAPI document by the owner of the podcasts. Later requests use ids and tokens of
// earlier responses.
import { allBytes, mp3 } from "../worker/source.ts";
import type { SeededRandom } from "../random.ts";
import { largePicture, picture, type World } from "./world.ts";

interface Sent {
  path: string;
  query?: Record<string, string>;
  json?: unknown;
  body?: Uint8Array;
  type?: string;
  token?: string;
}

/** Requests by route. Other routes get known ids in their path, and no body. */
const requests: Record<
  string,
  (world: World, dice: SeededRandom) => Omit<Sent, "path"> & { params?: Record<string, string> }
> = {
  "POST /api/media/audio/presigned-url": (w, d) => ({ json: audio(w, d) }),
  "PUT /api/media/audio/upload/{uploadId}": (w, d) => {
    const { podcastId, episodeId } = audio(w, d);
    return { ...upload(d, "audio/mpeg"), query: { podcastId, episodeId, filename: "a.mp3", duration: "1" } };
  },
  "POST /api/media/audio/direct-upload": (w, d) => ({ json: audio(w, d) }),
  "POST /api/media/audio/direct-upload/complete": (w, d) => ({ json: { uploadId: recent(w.known.uploads, d) } }),
  "POST /api/media/transcript/presigned-url": (w, d) => ({ json: { ...audio(w, d), contentType: "text/vtt" } }),
  "PUT /api/media/transcript/upload/{uploadId}": (w, d) => {
    const { podcastId, episodeId } = audio(w, d), [type, text] = d.one(TEXT_FILES);
    return {
      params: { uploadId: crypto.randomUUID() },
      query: { podcastId, episodeId, language: d.one(["de", "en"]) },
      type,
      body: new TextEncoder().encode(text),
    };
  },
  "GET /public/chapters/{episodeId}.json": (w, d) => ({ params: { episodeId: d.one(w.episodes).id } }),
  "GET /public/v1/episodes/{episodeId}/transcripts": (w, d) => ({ params: { episodeId: d.one(w.episodes).id } }),
  "GET /public/v1/oembed": (w, d) => ({
    query: { url: `${w.functionsUrl}/public/listen/${d.one(w.shows).slug}`, format: d.one(["json", "xml"]) },
  }),
  "GET /public/transcripts/{file}": (w, d) => ({
    params: { file: `${recent(w.known.transcripts, d)}.${d.one(["vtt", "srt", "json"])}` },
  }),
  "POST /api/media/presigned-url": (w, d) => ({
    json: { podcastId: d.one(w.shows).id, imageType: "cover", contentType: "image/jpeg", filename: "a.jpg" },
  }),
  "PUT /api/media/upload/{uploadId}": (w, d) => {
    const { id, show } = d.one(w.episodes);
    const place: Record<string, string> = d.chance(0.5)
      ? { imageType: "cover" }
      : { imageType: "episode_cover", episodeId: id };
    return { ...upload(d, "image/jpeg"), query: { podcastId: show.id, ...place } };
  },
  "DELETE /api/media/image/{podcastId}/{imageType}": (w, d) => ({
    params: { podcastId: d.one(w.shows).id, imageType: "cover" },
  }),
  "GET /api/media/episode-cover/{episodeId}/download": (w, d) => ({ params: { episodeId: d.one(w.episodes).id } }),
  "POST /api/media/import-artwork": (w, d) => ({
    json: {
      url: `${w.host}cover.jpg`,
      imageType: "cover",
      ...d.chance(0.5) && { podcastId: d.one(w.shows).id },
    },
  }),
  "POST /api/media/move-artwork": (w, d) => ({
    json: { sourcePath: recent(w.known.artwork, d), podcastId: d.one(w.shows).id, imageType: "cover" },
  }),
  "POST /api/episodes/{id}/people": (w, d) => ({
    params: { id: d.one(w.episodes).id },
    json: { sourceType: "external", name: `Person ${d.below(1e6)}`, roleLabel: "Host" },
  }),
  "PUT /api/episodes/{id}/people/{personId}": (w, d) => ({
    params: person(w, d),
    json: { name: `Renamed ${d.below(1e6)}` },
  }),
  "PUT /api/episodes/{id}/people/{personId}/credit": (w, d) => ({
    params: person(w, d),
    json: { roleLabel: "Guest" },
  }),
  "DELETE /api/episodes/{id}/people/{personId}": (w, d) => ({ params: person(w, d) }),
  "DELETE /api/episodes/{id}/people/{personId}/credit": (w, d) => ({ params: person(w, d) }),
  "PUT /api/episodes/{id}/credits/reorder": (w, d) => ({
    params: { id: d.one(w.episodes).id },
    json: { creditIds: [] },
  }),
  "GET /api/podcast-guests": (w, d) => ({ query: { podcastId: d.one(w.shows).id } }),
  "GET /api/podcast-guests/{id}": (w, d) => ({ params: { id: recent(w.known.guests, d) } }),
  "PUT /api/podcast-guests/{id}": (w, d) => ({
    params: { id: recent(w.known.guests, d) },
    json: { notes: `Note ${d.below(1e6)}` },
  }),
  "GET /api/podcasts/{id}/feed-report": (w, d) => ({ params: { id: d.one(w.shows).id } }),
  "POST /api/guests": (w, d) => ({
    json: { episodeId: w.episodes[0].id, email: `guest-${d.below(2000)}@guests.test`, displayName: "Gus" },
  }),
  "DELETE /api/guests/{episodeGuestId}": (w, d) => ({ params: { episodeGuestId: recent(w.known.episodeGuests, d) } }),
  "POST /api/guests/accept": (w) => ({ json: { accessToken: w.guestToken() } }),
  "POST /api/guests/decline": (w) => ({ json: { accessToken: w.guestToken() } }),
  "POST /api/guests/episode": (w) => ({ json: { accessToken: w.guestToken() } }),
  "POST /api/guests/messages/list": (w) => ({ json: { accessToken: w.guestToken() } }),
  "POST /api/guests/messages": (w, d) => ({ json: { accessToken: w.guestToken(), body: `Hello ${d.below(1e6)}` } }),
  "POST /api/notifications/events/chat": (w, d) => {
    const [messageId, accessToken] = recent(w.known.messages, d).split(" ");
    return { json: { episodeId: w.episodes[0].id, messageId, accessToken } };
  },
  "POST /api/notifications/guest-read": (w) => ({
    json: { episodeId: w.episodes[0].id, accessToken: w.guestToken() },
  }),
  "POST /api/imports/podcast": (w, d) => ({
    json: {
      podcast_id: d.one(w.shows.slice(3)).id,
      feed_url: `${w.host}${d.chance(0.3) ? "locked" : "feed"}.xml?${d.below(1e6)}`,
    },
  }),
  "POST /api/imports/{id}/verify-ownership": (w, d) => ({
    params: { id: recent(w.known.imports, d) },
    json: { code: "123456" },
  }),
  "POST /api/imports/{id}/confirm": (w, d) => ({
    params: { id: recent(w.known.imports, d) },
    json: { applyDetectedEpisodeNumbers: false, limit: null, applyChannel: d.chance(0.5) ? ["image"] : [] },
  }),
  "GET /api/availability": (w, d) => ({ query: { bookingLinkId: w.linkId, date: slot(d).slice(0, 10) } }),
  "POST /api/bookings": (w, d) => ({
    json: {
      bookingLinkId: w.linkId,
      startTime: slot(d),
      guestName: "Gus",
      guestEmail: `booker-${d.below(1e9)}@guests.test`,
    },
  }),
  "POST /api/bookings/{id}/confirm": (w, d) => ({ params: { id: recent(w.known.bookings, d) }, json: {} }),
  "POST /api/bookings/{id}/decline": (w, d) => ({ params: { id: recent(w.known.bookings, d) }, json: {} }),
  "POST /api/bookings/{id}/cancel": (w, d) => ({ params: { id: recent(w.known.bookings, d) }, json: {} }),
  "POST /api/bookings/{id}/reschedule": (w, d) => ({
    params: { id: recent(w.known.bookings, d) },
    json: { startTime: slot(d) },
  }),
  "POST /api/bookings/guest": (w) => ({ json: { accessToken: w.bookingToken() } }),
  "POST /api/bookings/guest/verify": (w) => ({ json: { accessToken: w.bookingToken() } }),
  "POST /api/bookings/guest/cancel": (w) => ({ json: { accessToken: w.bookingToken() } }),
  "POST /api/bookings/guest/reschedule": (w, d) => ({
    json: { accessToken: w.bookingToken(), startTime: slot(d) },
  }),
  "GET /api/automations/templates": (w, d) => ({ query: { podcast_id: d.one(w.shows).id } }),
  "POST /api/automations/templates": (w, d) => ({
    json: { podcast_id: d.one(w.shows).id, name: `News ${d.below(1e6)}`, subject: "News", body_text: "Out now." },
  }),
  "POST /api/automations/templates/preview": () => ({
    json: { subject: "{episode_title}", sample_data: { episode_title: "Here" } },
  }),
  "GET /api/automations/templates/{id}": (w, d) => ({ params: { id: recent(w.known.templates, d) } }),
  "PUT /api/automations/templates/{id}": (w, d) => ({
    params: { id: recent(w.known.templates, d) },
    json: { subject: `News ${d.below(1e6)}` },
  }),
  "DELETE /api/automations/templates/{id}": (w, d) => ({ params: { id: recent(w.known.templates, d) } }),
  "GET /api/automations/rules": (w, d) => ({ query: { podcast_id: d.one(w.shows).id } }),
  "POST /api/automations/rules": (w, d) => ({
    json: {
      podcast_id: d.one(w.shows).id,
      name: `Rule ${d.below(1e6)}`,
      trigger_type: "episode.published",
      actions: [{ action_type: "send_webhook", action_config: { url: `${w.host}webhook` } }],
    },
  }),
  "GET /api/automations/rules/{id}": (w, d) => ({ params: { id: recent(w.known.rules, d) } }),
  "PUT /api/automations/rules/{id}": (w, d) => ({
    params: { id: recent(w.known.rules, d) },
    json: { name: `Renamed ${d.below(1e6)}` },
  }),
  "DELETE /api/automations/rules/{id}": (w, d) => ({ params: { id: recent(w.known.rules, d) } }),
  "POST /api/automations/rules/{id}/toggle": (w, d) => ({
    params: { id: recent(w.known.rules, d) },
    json: { is_enabled: d.chance(0.5) },
  }),
  "POST /api/automations/rules/{id}/dry-run": (w, d) => ({
    params: { id: recent(w.known.rules, d) },
    json: { episode_id: d.one(w.episodes).id },
  }),
  "POST /api/automations/actions/{id}/test": (w, d) => ({ params: { id: recent(w.known.actions, d) } }),
  "POST /api/automations/actions/{id}/rotate-secret": (w, d) => ({
    params: { id: recent(w.known.actions, d) },
    json: { secret: `whsec_${btoa("k".repeat(32))}` },
  }),
  "GET /api/automations/executions": (w) => ({ query: { podcast_id: w.shows[0].id } }),
  "GET /api/automations/executions/stats": (w) => ({ query: { podcast_id: w.shows[0].id } }),
  "GET /api/automations/executions/{id}": (w, d) => ({ params: { id: recent(w.known.executions, d) } }),
  "POST /api/automations/executions/{id}/retry": (w, d) => ({ params: { id: recent(w.known.executions, d) } }),
  "GET /api/automations/addresses": (w, d) => ({ query: { podcast_id: d.one(w.shows).id } }),
  "POST /api/automations/addresses": (w, d) => ({
    json: { podcast_id: d.one(w.shows).id, email: `holder-${d.below(2000)}@guests.test` },
  }),
  "DELETE /api/automations/addresses/{id}": (w, d) => ({ params: { id: recent(w.known.addresses, d) } }),
  "POST /api/automations/addresses/confirm": (w) => ({ json: { accessToken: w.addressToken() } }),
  "POST /api/billing/checkout": () => ({ json: { planCode: "pro" } }),
  "POST /api/billing/webhooks/stripe": () => ({ body: new TextEncoder().encode("{}") }), // unsigned: 400
  "POST /api/notifications/webhooks/resend": () => ({ body: new TextEncoder().encode("{}") }), // unsigned: 400
  "POST /worker": (w) => ({ json: {}, token: w.workerSecret }),
};

/** Files of transcripts, and chapters, by type. */
const TEXT_FILES = [
  ["text/vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n"],
  ["application/x-subrip", "1\n00:00:00,000 --> 00:00:01,000\nHello\n"],
  ["text/html", "<p>Hello</p>"],
  ["application/json+chapters", '{"version": "1.2.0", "chapters": [{"startTime": 0, "title": "Hello"}]}'],
] as const;

const recent = (ids: string[], dice: SeededRandom) => ids.at(-1 - dice.below(6)) ?? crypto.randomUUID();

/** One of the half hours that the booking link offers in any case. */
function slot(dice: SeededRandom): string {
  const day = Math.ceil(Date.now() / 86_400_000) + 2;
  return new Date(day * 86_400_000 + dice.below(50 * 48) * 1800_000).toISOString();
}

function audio(world: World, dice: SeededRandom) {
  const { id: episodeId, show } = dice.one(world.episodes);
  return { podcastId: show.id, episodeId, contentType: "audio/mpeg", filename: "a.mp3", fileSize: 20_000 };
}

function upload(dice: SeededRandom, type: string) {
  const body = type === "image/jpeg"
    ? dice.one([picture, largePicture])
    : allBytes(mp3(10_000 + dice.below(50_000), dice.below(100)));
  return { params: { uploadId: crypto.randomUUID() }, body, type };
}

function person(world: World, dice: SeededRandom) {
  const [episodeId, personId] = recent(world.known.people, dice).split(" ");
  return { id: episodeId, personId: personId ?? crypto.randomUUID() };
}

/** Requested more often: an import takes several requests and many messages, and a session two. */
export const oftener = [
  "POST /api/imports/podcast",
  "POST /api/imports/{id}/confirm",
  "POST /api/bookings",
  "POST /api/bookings/{id}/confirm",
];

/** The route's next request. */
export function requestTo(route: string, world: World, dice: SeededRandom): Sent {
  const [, template] = route.split(" ");
  const { params = {}, ...rest } = requests[route]?.(world, dice) ?? {};
  const { id, slug, show } = dice.one(world.episodes);
  const usual: Record<string, string> = {
    id: template.startsWith("/api/imports") ? recent(world.known.imports, dice) : id,
    itemId: recent(world.known.items, dice),
    slug: show.slug,
    episode: slug,
  };
  const path = template.replaceAll(
    /\{(\w+)\}/g,
    (_, name) => encodeURIComponent(params[name] ?? usual[name] ?? crypto.randomUUID()),
  );
  return { token: template.startsWith("/api") ? world.token : undefined, ...rest, path };
}

/** Stores ids for later requests, including the import of a 409; uploads the file of a direct upload. */
// deno-lint-ignore no-explicit-any -- any response body
export async function learn(route: string, world: World, request: Sent, body: any): Promise<void> {
  const { known } = world;
  if (route === "POST /api/imports/podcast") known.imports.push(body.data?.importId ?? body.importId);
  if (body.error) return;
  switch (route) {
    case "POST /api/episodes/{id}/people":
      known.people.push(`${request.path.split("/")[3]} ${body.data.id}`);
      break;
    case "POST /api/guests":
      known.guests.push(body.data.guest.id);
      known.episodeGuests.push(body.data.episodeGuest.id);
      break;
    case "POST /api/bookings":
      known.bookings.push(body.data.booking.id);
      break;
    case "POST /api/automations/templates":
      known.templates.push(body.template.id);
      break;
    case "POST /api/automations/rules":
      known.rules.push(body.rule.id);
      known.actions.push(...body.rule.automation_actions.map(({ id }: { id: string }) => id));
      break;
    case "POST /api/automations/addresses":
      known.addresses.push(body.address.id);
      break;
    case "GET /api/automations/executions":
      known.executions = body.executions.map(({ id }: { id: string }) => id);
      break;
    case "POST /api/guests/messages":
      known.messages.push(`${body.data.id} ${(request.json as { accessToken: string }).accessToken}`);
      break;
    case "POST /api/media/audio/direct-upload": {
      const headers = { "content-type": "audio/mpeg" };
      const put = await fetch(body.uploadUrl, { method: "PUT", headers, body: allBytes(mp3(20_000, 7)) });
      await put.body?.cancel();
      known.uploads.push(body.uploadId);
      break;
    }
    case "PUT /api/media/transcript/upload/{uploadId}":
      if (body.transcriptId) known.transcripts.push(body.transcriptId);
      break;
    case "POST /api/media/import-artwork":
      if (body.isTemporary) known.artwork.push(body.path);
      break;
    case "GET /api/imports/{id}":
      known.items.push(...(body.data.items ?? []).map((item: { id: string }) => item.id));
  }
}
