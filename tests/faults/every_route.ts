// Requests to each route of the OpenAPI document by a few users with podcasts. Later requests use ids and tokens of
// earlier responses.
import { createClient } from "@supabase/supabase-js";
import type postgres from "postgres";
import { openInbox } from "../../local/mail/inbox.ts";
import { startSmtp } from "../../local/mail/smtp.ts";
import { allBytes, mp3, startSource } from "../worker/source.ts";
import { jpeg } from "../image_fixtures.ts";
import type { SeededRandom } from "../random.ts";
import type { StackInfo } from "../stack.ts";
import { addGoogleEvents } from "../calendars/events/google_events_peer.ts";
import { startGooglePeer } from "../calendars/providers/google_peer.ts";
import { startStripePeer, STRIPE_KEY } from "../billing/stripe_peer.ts";
import { VAPID_ENV } from "../push/environment.ts";
import { listPushService, startPushService } from "../push/push_service.ts";
import { startWebhookReceiver } from "./webhook_receiver.ts";

/** The data that the requests use. */
export interface World extends AsyncDisposable {
  shows: { id: string; slug: string }[];
  episodes: { id: string; slug: string; show: { id: string; slug: string } }[];
  token: string;
  ownerId: string;
  workerSecret: string;
  /** Another host with a feed, a locked feed, audio and an image. */
  host: string;
  /** Ids by kind, the newest last. */
  known: Record<
    | "people"
    | "guests"
    | "episodeGuests"
    | "uploads"
    | "artwork"
    | "imports"
    | "items"
    | "messages"
    | "bookings"
    | "templates"
    | "rules"
    | "actions"
    | "executions"
    | "addresses",
    string[]
  >;
  /** Of the first podcast, for any half hour. */
  linkId: string;
  /** The bookings whose events the owner's calendar shows. */
  bookedIds(): string[];
  /** Environment of the functions and the worker: this mail server, a push key, peers instead of Stripe and Google. */
  env: Record<string, string>;
  /** The token of the episode guest whose email is the newest; empty until there is one. */
  guestToken(): string;
  /** That of the guest of a booking. */
  bookingToken(): string;
  /** That of the holder of an address for automations. */
  addressToken(): string;
}

interface Sent {
  path: string;
  query?: Record<string, string>;
  json?: unknown;
  body?: Uint8Array;
  type?: string;
  token?: string;
}

const EPISODES = 4;
const picture = jpeg({ width: 1400, height: 1400, bytes: 30_000 });

/** Signs in the owner of new podcasts with published episodes. */
export async function startWorld(at: StackInfo, sql: postgres.Sql): Promise<World> {
  const files = Array.from({ length: EPISODES }, (_, n) => mp3(20_000 + n, n));
  const source = startSource(({ path }) => {
    if (path.startsWith("/cover")) return { body: picture, headers: { "content-type": "image/jpeg" } };
    const file = files[Number(/^\/(\d+)\.mp3/.exec(path)?.[1])];
    if (file) return { body: file, headers: { "content-type": "audio/mpeg" } };
    return { body: feed(source.url, path), headers: { "content-type": "application/rss+xml" } };
  });
  const mails = await Deno.makeTempDir({ prefix: "castbase-mails-" });
  const inbox = await openInbox(mails), smtp = await startSmtp(inbox, 0);
  const stripe = startStripePeer(), pushService = startPushService(), webhooks = startWebhookReceiver();
  await sql`update public.plans set stripe_price_id = 'price_pro' where code = 'pro'`;
  await sql`update private.settings set value = '1000000' where key like '%\_per\_hour%'`;
  await sql`update private.settings set value = ${`${source.host} ${webhooks.host}`} where key = 'fetch_allowed_hosts'`;
  await listPushService(sql, pushService);
  const [{ secret }] = await sql`
    select decrypted_secret as secret from vault.decrypted_secrets where name = 'worker_secret'`;

  const auth = { persistSession: false, autoRefreshToken: false };
  const account = { email: "unlucky@people.test", password: "correct horse" };
  await createClient(at.url, at.secretKey, { auth }).auth.admin.createUser({ ...account, email_confirm: true });
  const owner = createClient(at.url, at.publishableKey, { auth });
  const { data: { session, user } } = await owner.auth.signInWithPassword(account);
  stripe.customers.set("cus_unlucky", { object: "customer", id: "cus_unlucky" });
  await sql`insert into private.subscriptions (user_id, stripe_customer_id, has_open_podcasts, is_collection_void)
    values (${user!.id}, 'cus_unlucky', false, false)`;
  await sql`select private.enqueue_billing_sync(s.id) from private.subscriptions s`;
  const run = async (name: string, args: object) => {
    const { data, error } = await owner.rpc(name, args);
    if (error) throw new Error(`${name}: ${error.message}`);
    return data;
  };
  await run("add_push_subscription", { subscription: pushService.subscribe().subscription });
  const google = startGooglePeer(), events = addGoogleEvents(google), address = "unlucky@google.test";
  const googleAccount = google.addAccount(address);
  await sql`select private.store_calendar_connection(${user!.id}, 'google', ${address}, ${address},
    ${sql.json(google.issueTokens(address))}, now() + interval '1 day', ${
    sql.json([{ externalId: address, name: "Work", isPrimary: true, isWritable: true }])
  })`;
  const newestToken = (page: RegExp) => {
    for (const { parsed } of inbox.all()) {
      const [, token] = page.exec(parsed.text ?? "") ?? [];
      if (token) return token;
    }
    return "";
  };
  const world: World = {
    shows: [],
    episodes: [],
    token: session!.access_token,
    ownerId: user!.id,
    workerSecret: secret,
    host: source.url,
    known: {
      people: [],
      guests: [],
      episodeGuests: [],
      uploads: [],
      artwork: [],
      imports: [],
      items: [],
      messages: [],
      bookings: [],
      templates: [],
      rules: [],
      actions: [],
      executions: [],
      addresses: [],
    },
    linkId: "",
    bookedIds: () => events.bookedEvents(googleAccount).map(({ bookingId }) => bookingId),
    env: {
      ...VAPID_ENV,
      ...google.env,
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: "Castbase <noreply@castbase.test>",
      STRIPE_SECRET_KEY: STRIPE_KEY,
      STRIPE_WEBHOOK_SECRET: "whsec_peer",
      STRIPE_API_URL: stripe.url,
      RESEND_WEBHOOK_SECRET: `whsec_${btoa("peer")}`,
    },
    guestToken: () => newestToken(/\/guest#token=(\S+)/),
    bookingToken: () => newestToken(/\/booking#token=(\S+)/),
    addressToken: () => newestToken(/\/automations\/confirm-address#token=(\S+)/),
    async [Symbol.asyncDispose]() {
      await smtp.close();
      await Deno.remove(mails, { recursive: true });
      await source[Symbol.asyncDispose]();
      await stripe[Symbol.asyncDispose]();
      await google[Symbol.asyncDispose]();
      await pushService[Symbol.asyncDispose]();
      await webhooks[Symbol.asyncDispose]();
    },
  };
  for (let n = 0; n < 6; n++) {
    const show = await run("create_podcast", { title: `Unlucky ${n}` });
    world.shows.push(show);
    for (let e = 0; e < (n < 3 ? EPISODES : 0); e++) { // the others get theirs by import
      const episode = await run("create_episode", { podcast_id: show.id, title: `Episode ${e}` });
      world.episodes.push({ ...episode, show });
      const query = new URLSearchParams({
        podcastId: show.id,
        episodeId: episode.id,
        filename: "a.mp3",
        duration: "1",
      });
      const stored = await fetch(`${at.functionsUrl}/api/media/audio/upload/${crypto.randomUUID()}?${query}`, {
        method: "PUT",
        headers: { authorization: `Bearer ${world.token}`, "content-type": "audio/mpeg" },
        body: allBytes(mp3(20_000, e)),
      });
      if (!stored.ok) throw new Error(await stored.text());
      await stored.body?.cancel();
      await run("publish_episode", { episode_id: episode.id });
    }
  }
  const rules = [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, startTime: "00:00", endTime: "24:00" }));
  const [{ linkId }] = await sql`
    insert into public.booking_links (podcast_id, name, duration_minutes, timezone, availability_rules)
    values (${world.shows[0].id}, 'Interview', 30, 'UTC', ${sql.json(rules)}) returning id as "linkId"`;
  world.linkId = linkId;
  const { template } = await run("create_automation_template", {
    podcast_id: world.shows[0].id,
    name: "Booked",
    subject: "{guest_first_name} is booked",
    body_text: "It is on.",
  });
  await run("create_automation_rule", {
    podcast_id: world.shows[0].id,
    name: "A booking is confirmed",
    trigger_type: "booking.confirmed",
    actions: [
      { action_type: "send_webhook", action_config: { url: webhooks.url } },
      { action_type: "send_email", action_config: { template_id: template.id, to: "team" } },
    ],
  });
  return world;
}

/** Different episodes for each path, so that none is a duplicate. */
function feed(url: string, path: string): Uint8Array {
  const items = Array.from({ length: EPISODES }, (_, n) => `
<item><guid isPermaLink="false">moved ${n} ${path}</guid><title>Moved ${n}</title><itunes:image href="${url}cover.jpg"/>
<pubDate>${new Date(Date.UTC(2024, 0, 1 + n)).toUTCString()}</pubDate>
<enclosure url="${url}${n}.mp3" length="20000" type="audio/mpeg"/></item>`);
  return new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
 xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>Moving house</title>${
    path.startsWith("/locked") ? '<podcast:locked owner="owner@feeds.test">yes</podcast:locked>' : ""
  }${items.join("")}</channel></rss>`);
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
    json: { applyDetectedEpisodeNumbers: false, limit: null },
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
  const body = type === "image/jpeg" ? picture : allBytes(mp3(10_000 + dice.below(50_000), dice.below(100)));
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
    case "POST /api/media/import-artwork":
      if (body.isTemporary) known.artwork.push(body.path);
      break;
    case "GET /api/imports/{id}":
      known.items.push(...(body.data.items ?? []).map((item: { id: string }) => item.id));
  }
}
