// Podcasts of one owner with published episodes, a booking link, a rule and a connected calendar, and the peers that the
// functions reach.
import { createClient } from "@supabase/supabase-js";
import type postgres from "postgres";
import { openInbox } from "../../local/mail/inbox.ts";
import { startSmtp } from "../../local/mail/smtp.ts";
import { allBytes, mp3, startSource } from "../worker/source.ts";
import { startHttpServer } from "../http_server.ts";
import { jpeg } from "../image_fixtures.ts";
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
  functionsUrl: string;
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
    | "transcripts"
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

const EPISODES = 4;
const words = new TextEncoder().encode("WEBVTT\n\n00:00.000 --> 00:02.000\nMoving house\n");
const chapters = new TextEncoder().encode('{"version": "1.2.0", "chapters": [{"startTime": 0, "title": "Moving"}]}');
export const picture = jpeg({ width: 1400, height: 1400, bytes: 30_000 });
/** Copies of it are left to a standalone worker. */
export const largePicture = jpeg({ width: 3010, height: 3010, bytes: 300_000 });

/** Signs in the owner of new podcasts with published episodes. */
export async function startWorld(at: StackInfo, sql: postgres.Sql): Promise<World> {
  const files = Array.from({ length: EPISODES }, (_, n) => mp3(20_000 + n, n));
  const source = startSource(({ path }) => {
    if (path.startsWith("/cover")) return { body: picture, headers: { "content-type": "image/jpeg" } };
    if (path.startsWith("/words")) return { body: words, headers: { "content-type": "text/vtt" } };
    if (path.startsWith("/chapters")) return { body: chapters, headers: { "content-type": "application/json" } };
    const file = files[Number(/^\/(\d+)\.mp3/.exec(path)?.[1])];
    if (file) return { body: file, headers: { "content-type": "audio/mpeg" } };
    return { body: feed(source.url, path), headers: { "content-type": "application/rss+xml" } };
  });
  const mails = await Deno.makeTempDir({ prefix: "castbase-mails-" });
  const inbox = await openInbox(mails), smtp = await startSmtp(inbox, 0);
  const stripe = startStripePeer(), pushService = startPushService(), webhooks = startWebhookReceiver();
  const pings = startHttpServer(() => new Response(null, { status: 204 })), pingHost = new URL(pings.url).host;
  await sql`select private.offer_plan_price('price_pro', 'pro', 'month', 'eur')`;
  await sql`update private.settings set value = '1000000' where key like '%\_per\_hour%'`;
  await sql`update private.plan_limits set max_count = 1000000 where name like '%\_per\_hour'`;
  await sql`update private.settings set value = ${`${source.host} ${webhooks.host} ${pingHost}`} where key = 'fetch_allowed_hosts'`;
  await sql`select private.set_setting('websub_hub_url', ${pings.url}),
    private.set_setting('podping_url', ${pings.url}), private.set_setting('feed_ping_delay_seconds', '0'),
    private.set_setting('cdn_purge_url', ${pings.url}), private.set_setting('cdn_purge_delay_seconds', '0')`;
  await listPushService(sql, pushService);
  const [{ secret }] = await sql`
    select decrypted_secret as secret from vault.decrypted_secrets where name = 'worker_secret'`;

  const auth = { persistSession: false, autoRefreshToken: false };
  const account = { email: "unlucky@people.test", password: "correct horse" };
  await createClient(at.url, at.secretKey, { auth }).auth.admin.createUser({ ...account, email_confirm: true });
  const owner = createClient(at.url, at.publishableKey, { auth });
  const { data: { session, user } } = await owner.auth.signInWithPassword(account);
  stripe.customers.set("cus_unlucky", { object: "customer", id: "cus_unlucky" });
  await sql`insert into private.subscriptions (user_id, stripe_customer_id) values (${user!.id}, 'cus_unlucky')`;
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
    functionsUrl: at.functionsUrl,
    workerSecret: secret,
    host: source.url,
    known: {
      people: [],
      guests: [],
      episodeGuests: [],
      uploads: [],
      artwork: [],
      transcripts: [],
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
      await pings[Symbol.asyncDispose]();
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
<podcast:transcript url="${url}words.vtt" type="text/vtt"/>
<podcast:chapters url="${url}chapters.json" type="application/json+chapters"/>
<enclosure url="${url}${n}.mp3" length="20000" type="audio/mpeg"/></item>`);
  return new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
 xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>Moving house</title><itunes:image href="${url}cover.jpg"/>${
    path.startsWith("/locked") ? '<podcast:locked owner="owner@feeds.test">yes</podcast:locked>' : ""
  }${items.join("")}</channel></rss>`);
}
