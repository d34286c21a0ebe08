// Random worlds: podcasts in every state, with episodes in every state and public and private texts.
import { type SeededRandom, seededRandom } from "../random.ts";
import { createMarks, type Marks } from "./marks.ts";
import { addPrivateRows, makeUsers, type Users } from "./private_rows.ts";

export type Row = Record<string, unknown>;

/** A row to insert. Its other text columns get marks. */
export interface TableRow {
  table: string;
  row: Row;
}

/** `deleted` and `moved` podcasts have no row at the end; `moving` and `moved` ones have a redirect. */
export const STATES = ["active", "paused", "leaving", "moving", "deleted", "moved"] as const;
/** A withdrawn episode was published, and its feed had it. */
export const EPISODE_STATES = ["draft", "scheduled", "published", "archived", "withdrawn"] as const;

export interface Episode {
  state: typeof EPISODE_STATES[number];
  row: Row & { id: string; slug: string };
  credits: Row[];
  chapters: Row[];
  transcripts: (Row & { id: string })[];
  /** The mark in the notes that sanitizing keeps. */
  notesMark: string;
}

export interface Podcast {
  state: typeof STATES[number];
  isNative: boolean;
  row: Row & { id: string; slug: string };
  redirectUrl: string | null;
  credits: Row[];
  /** Newest first. */
  episodes: Episode[];
  bookingLink: Row & { id: string; slug: string; is_active: boolean };
  /** Of an object in the bucket staging. */
  stagedPath: string;
}

export interface World extends Marks {
  seed: number;
  random: SeededRandom;
  podcasts: Podcast[];
  rows: TableRow[];
}

/** Base URLs of the installation. */
export interface Urls {
  media: string;
}

const HOUR_MS = 3_600_000;
const isoAt = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

export function makeWorld(seed: number, urls: Urls): World {
  const random = seededRandom(seed);
  const world: World = { ...createMarks(seed, random), seed, random, podcasts: [], rows: [] };
  const users = makeUsers(world);
  for (let n = random.below(3) + 1; n > 0; n--) addPodcast(world, users, urls);
  return world;
}

const urlOf = (mark: string) => `https://hosted.example/${mark}`;

function addPodcast(world: World, users: Users, urls: Urls) {
  const { random, mark, id, rows } = world;
  const state = random.one(STATES), isNative = ["leaving", "moving", "moved"].includes(state) || random.chance(0.8);
  const text = (column: string) => mark(`podcasts.${column}`), url = (column: string) => urlOf(text(column));
  const podcastId = id("podcasts.id");
  const stored = random.chance(0.5) ? text("cover_image_url") : undefined;
  const row = {
    id: podcastId,
    owner_id: users.owner,
    slug: text("slug"),
    podcast_guid: id("podcasts.podcast_guid"),
    title: text("title"),
    description: `<p>${text("description")}</p>`,
    language: "en",
    author: text("author"),
    owner_name: text("owner_name"),
    owner_email: `${text("owner_email")}@owner.example`,
    show_owner_email: random.chance(0.3),
    categories: [{ category: text("categories") }],
    copyright: text("copyright"),
    link: url("link"),
    medium: "podcast",
    apple_verify_token: text("apple_verify_token"),
    ai_disclosure: text("ai_disclosure"),
    license: text("license"),
    license_url: url("license_url"),
    verify_texts: [{ text: text("verify_texts"), purpose: text("verify_texts") }],
    update_frequency: { text: text("update_frequency") },
    podroll: [{ feed_guid: crypto.randomUUID(), feed_url: url("podroll"), title: text("podroll") }],
    remote_items: [{ feed_guid: crypto.randomUUID(), item_guid: text("remote_items") }],
    publisher: { feed_guid: crypto.randomUUID(), feed_url: url("publisher") },
    directory_blocks: [{ id: text("directory_blocks"), is_blocked: true }],
    directory_links: [{ directory: "castbox", url: `https://castbox.fm/${text("directory_links")}` }],
    ...sharedFeedValues(text),
    hosting_type: isNative ? "native" : "external",
    status: state === "paused" ? "paused" : "active",
    ...state === "paused" && { paused_at: isoAt(-1), pause_expires_at: isoAt(500) },
    deletion_redirect_url: null,
    // a deletion replaces it, with its own redirect or none
    feed_redirect_url: ["leaving", "moving", "moved"].includes(state) ? url("feed_redirect_url") : null,
    cover_image_url: stored ? `${urls.media}/podcasts/${podcastId}/cover/${stored}.jpg` : url("cover_image_url"),
    header_image_url: url("header_image_url"),
    banner_image_url: url("banner_image_url"),
    profile_image_url: url("profile_image_url"),
    ...random.chance(0.3) && { feed_page_size: 50 },
  };
  rows.push({ table: "public.podcasts", row }, {
    table: "private.podcast_slugs",
    row: { slug: row.slug, podcast_id: podcastId },
  });
  if (stored) {
    rows.push({
      table: "private.media_objects",
      row: {
        path: `podcasts/${podcastId}/cover/${stored}.jpg`,
        account_id: users.owner,
        podcast_id: podcastId,
        usage: "cover",
        bytes: 1000,
        content_type: "image/jpeg",
        width: 1400,
        height: 1400,
      },
    }, {
      table: "private.media_copies",
      row: {
        path: `podcasts/${podcastId}/derived/${stored}/640.webp`,
        original_path: `podcasts/${podcastId}/cover/${stored}.jpg`,
        content_type: "image/webp",
        width: 640,
        height: 640,
      },
    });
  }
  const credits = Array.from({ length: random.below(3) }, (_, n) => creditRow(world, "podcast_credits", n));
  for (const credit of credits) {
    rows.push({ table: "public.podcast_credits", row: { ...credit, podcast_id: podcastId } });
  }
  const episodes = Array.from(
    { length: random.below(8) },
    (_, n) => addEpisode(world, podcastId, users, urls, isoAt(-n - 1)),
  );
  const { bookingLink, stagedPath } = addPrivateRows(world, row, episodes, users);
  const redirectUrl = state === "moving" || state === "moved" ? url("deletion_redirect_url") : null;
  world.podcasts.push({ state, isNative, row, redirectUrl, credits, episodes, bookingLink, stagedPath });
}

function creditRow({ mark }: Marks, table: string, n: number): Row {
  return {
    name: mark(`${table}.name`),
    role_label: "Host",
    avatar_url: urlOf(mark(`${table}.avatar_url`)),
    external_url: urlOf(mark(`${table}.external_url`)),
    display_order: n,
  };
}

/** Values that podcasts and episodes have alike. */
function sharedFeedValues(text: (column: string) => string) {
  const url = (column: string) => urlOf(text(column));
  return {
    funding: [{ url: url("funding"), text: text("funding") }],
    locations: [{ name: text("locations"), rel: "subject" }],
    images: [{ href: url("images"), alt: text("images") }],
    social_interactions: [{
      protocol: "activitypub",
      uri: url("social_interactions"),
      account_id: text("social_interactions"),
    }],
    value_blocks: [{
      type: "lightning",
      method: "keysend",
      recipients: [{ name: text("value_blocks"), type: "node", address: text("value_blocks"), split: "100" }],
    }],
    keywords: [text("keywords")],
    tags: [{ text: text("tags") }],
    extra_tags: [`<x:other xmlns:x="https://x.example/">${text("extra_tags")}</x:other>`],
  };
}

function addEpisode(world: World, podcastId: string, users: Users, urls: Urls, publishedAt: string): Episode {
  const { random, mark, id, rows } = world;
  const state = random.chance(0.4) ? "published" : random.one(EPISODE_STATES); // lists with several have a cursor
  const wasPublished = state === "published" || state === "withdrawn";
  const text = (column: string) => mark(`episodes.${column}`), url = (column: string) => urlOf(text(column));
  const episodeId = id("episodes.id"), notesMark = text("show_notes_html, kept"), audio = text("audio_url");
  const folder = `podcasts/${podcastId}/e/${episodeId}`;
  const row = {
    id: episodeId,
    podcast_id: podcastId,
    slug: text("slug"),
    guid: text("guid"),
    title: text("title"),
    itunes_title: text("itunes_title"),
    subtitle: text("subtitle"),
    summary: random.chance(0.5) ? text("summary") : null,
    description: text("description"),
    link: random.chance(0.5) ? url("link") : null,
    show_notes_html: `<p onclick="${text("show_notes_html")}">${notesMark}</p><!-- ${text("show_notes_html")} -->` +
      `<script>${text("show_notes_html")}</script><p data-note="${text("show_notes_html")}">end</p>`,
    show_notes_safe_html: null,
    show_notes_version: 0,
    season_name: text("season_name"),
    season_number: 1,
    episode_number: 2,
    episode_display: text("episode_display").slice(0, 32),
    status: state === "withdrawn" ? "published" : state,
    scheduled_at: state === "scheduled" ? isoAt(500 + random.below(100)) : null,
    published_at: wasPublished || state === "archived" ? publishedAt : null,
    first_published_at: wasPublished || state === "archived" ? publishedAt : null,
    created_by: users.admin,
    chapters_url: url("chapters_url"),
    audio_url: `${urls.media}/${folder}/audio/${audio}.mp3`,
    audio_file_size_bytes: 1000,
    audio_content_type: "audio/mpeg",
    audio_duration_seconds: 60,
    cover_image_url: url("cover_image_url"),
    license: text("license"),
    license_url: url("license_url"),
    texts: [{ text: text("texts"), purpose: text("texts") }],
    soundbites: [{ start_seconds: 1, duration_seconds: 5, title: text("soundbites") }],
    content_links: [{ href: url("content_links"), text: text("content_links") }],
    alternate_enclosures: [{
      type: "audio/ogg",
      title: text("alternate_enclosures"),
      sources: [{ uri: url("alternate_enclosures") }],
    }],
    ...sharedFeedValues(text),
  };
  rows.push({ table: "public.episodes", row }, {
    table: "private.episode_slugs",
    row: { podcast_id: podcastId, slug: row.slug, episode_id: episodeId },
  }, {
    table: "private.media_objects",
    row: {
      path: `${folder}/audio/${audio}.mp3`,
      account_id: users.owner,
      podcast_id: podcastId,
      episode_id: episodeId,
      usage: "audio",
      bytes: 1000,
      content_type: "audio/mpeg",
    },
  }, {
    table: "storage.objects",
    row: { bucket_id: "media", name: `${folder}/audio/${audio}.mp3`, metadata: { size: 1000 }, version: null },
  });
  const ofEpisode = { episode_id: episodeId, podcast_id: podcastId };
  const credits = Array.from({ length: random.below(3) }, (_, n) => creditRow(world, "episode_credits", n));
  for (const credit of credits) rows.push({ table: "public.episode_credits", row: { ...credit, ...ofEpisode } });
  const chapters = Array.from({ length: random.below(3) }, (_, n) => ({
    start_seconds: n * 10,
    title: mark("episode_chapters.title"),
    url: urlOf(mark("episode_chapters.url")),
    image_url: urlOf(mark("episode_chapters.image_url")),
    location: { name: mark("episode_chapters.location") },
  }));
  for (const chapter of chapters) rows.push({ table: "public.episode_chapters", row: { ...chapter, ...ofEpisode } });
  const transcripts = Array.from({ length: random.below(3) }, (_, n) => {
    const file = mark("episode_transcripts.url"), isStored = random.chance(0.5);
    return {
      id: id("episode_transcripts.id"),
      type: "text/vtt",
      language: null,
      rel: "captions",
      url: isStored ? `${urls.media}/${folder}/transcripts/${file}.vtt` : urlOf(file),
      bytes: isStored ? 100 : null,
      display_order: n,
    };
  });
  for (const row of transcripts) rows.push({ table: "public.episode_transcripts", row: { ...row, ...ofEpisode } });
  return { state, row, credits, chapters, transcripts, notesMark };
}
