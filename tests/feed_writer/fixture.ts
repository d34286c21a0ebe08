// Rows that fill every tag, and a strict parser to read feeds back.
export { childrenNamed, type Node, parseXml } from "../../functions/feed_report/xml_tree.ts";
import type { FeedValues } from "../../functions/feed_writer/feed_values.ts";
import type { FeedEpisode, FeedPodcast } from "../../functions/feed_writer/feed_rows.ts";

/** Feed values of the podcast namespace's documents. */
const values: FeedValues = {
  license: "my-podcast-license-v1",
  license_url: "https://example.org/mypodcastlicense/full.pdf",
  funding: [{ url: "https://nighttrains.example/give?a=1&b=2", text: "Buy us a ticket" }],
  locations: [
    { name: "Austin", rel: "creator", geo: "geo:30.2711286,-97.7436995", osm: "R113314", country: "US" },
    { name: "Birmingham Civil Rights Museum" },
  ],
  images: [
    {
      href: "https://example.com/images/ep1/pci_landscape-massive.jpg",
      alt: "An antenna emanating signal waves",
      aspect_ratio: "16/9",
      width: 1200,
      height: 675,
      type: "image/jpeg",
      purpose: "artwork social",
    },
    { href: "https://example.com/images/ep1/pci_square-massive.mp4", alt: "The waves move", type: "video/mp4" },
  ],
  social_interactions: [
    {
      protocol: "activitypub",
      uri: "https://podcastindex.social/@dave/105079274766075912",
      account_id: "@dave",
      account_url: "https://podcastindex.social/@dave",
      priority: 1,
    },
    { protocol: "disabled" },
  ],
  value_blocks: [{
    type: "lightning",
    method: "keysend",
    suggested: "0.00000005000",
    recipients: [
      { name: "Alice (Podcaster)", type: "node", address: "02d5c1bf8b940dc9cadca86d1b0a3c37", split: 95 },
      {
        name: "Hosting Provider",
        type: "lnaddress",
        address: "host@example.com",
        split: "5",
        custom_key: "696969",
        custom_value: "x",
        fee: true,
      },
    ],
  }],
  keywords: ["trains", "night travel"],
  tags: [{ text: "Railways" }, { text: "1765", domain: "https://directory.example/" }],
  extra_tags: ['<media:rating xmlns:media="http://search.yahoo.com/mrss/" scheme="urn:simple">adult</media:rating>'],
};

export function podcast(changes: Partial<FeedPodcast> = {}): FeedPodcast {
  return {
    id: "0c7f6f8e-3f59-4b0e-9a3e-2a61d7a3f001",
    slug: "night-trains",
    title: "Night Trains",
    description: "Sleepers & couchettes, one line at a time.",
    language: "en-GB",
    author: "Ana Kowalska",
    owner_name: "Night Trains Ltd",
    shown_owner_email: "ana@example.com",
    explicit: false,
    type: "episodic",
    categories: [{ category: "Society & Culture", subcategory: "Places & Travel" }, { category: "History" }],
    copyright: "© 2026 Night Trains Ltd",
    link: "https://nighttrains.example",
    medium: "podcast",
    is_complete: true,
    is_blocked: true,
    podcast_guid: "917393e3-1b1e-5cef-ace4-edaa54e1f810",
    locked: true,
    verify_texts: [{ text: "S6lpp-7ZCn8", purpose: "verify" }, { text: "no purpose given" }],
    apple_verify_token: "05124",
    ai_disclosure: "The intro music is machine-made.",
    cover_image_url: "https://media.example/cover.jpg",
    feed_page_size: null,
    redirect_url: "https://new-home.example/feed?show=night&trains",
    feed_url: "https://api.example/feeds/night-trains.xml",
    listen_url: "https://api.example/listen/night-trains",
    hub_url: "https://hub.example/?a=1&b=2",
    uses_podping: true,
    update_frequency: {
      text: "Every other Monday for 10 episodes starting on Aug 28, 2023",
      complete: false,
      dtstart: "2023-08-28T00:00:00.000Z",
      rrule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;COUNT=10",
    },
    podroll: [
      {
        feed_guid: "29cdca4a-32d8-56ba-b48b-09a011c5daa9",
        feed_url: "https://rss.buzzsprout.com/231452.rss",
        title: "Buzzcast",
      },
      { feed_guid: "396d9ae0-da7e-5557-b894-b606231fa3ea" },
    ],
    remote_items: [{
      feed_guid: "917393e3-1b1e-5cef-ace4-edaa54e1f810",
      item_guid: "asdf089j0-ep240-20230510",
      medium: "music",
    }],
    publisher: {
      feed_guid: "003af0a0-6a45-55cf-b765-68e3d349551a",
      feed_url: "https://agilesetmedia.com/assets/static/feeds/publisher.xml",
    },
    directory_blocks: [{ id: "google", is_blocked: false }, { id: "amazon", is_blocked: true }],
    credits: [{ name: "Ana Kowalska", role_label: "Host", avatar_url: null, external_url: "https://ana.example" }],
    trailers: [{
      title: "Season 4: Race for the Whitehouse",
      published_at: "2021-04-01T13:00:00.5+00:00",
      season_number: 4,
      audio_url: "https://example.org/trailers/season4teaser.mp4",
      audio_file_size_bytes: 12345678,
      audio_content_type: "video/mp4",
    }],
    newest_published_at: "2026-11-20T09:00:00.123456+00:00",
    ...values,
    ...changes,
  };
}

export function episode(changes: Partial<FeedEpisode> = {}): FeedEpisode {
  return {
    id: "5f0f1c9e-74cf-4c0a-9d4c-1a2f3b4c5d01",
    slug: "paris-berlin",
    guid: "urn:episode:1",
    title: "Paris–Berlin",
    itunes_title: "Paris to Berlin",
    subtitle: "From one river to another",
    summary: "Thirteen hours & no Wi-Fi.",
    description: "The description.",
    link: "https://nighttrains.example/paris-berlin?a=1&b=2",
    show_notes_safe_html: '<p>Read <a href="https://example.com/?a=1&amp;b=2">more</a></p>',
    show_notes_version: 1,
    published_at: "2026-11-20T09:00:00.123456+00:00",
    updated_at: "2026-11-20T09:00:01.654321+00:00",
    season_number: 2,
    season_name: "Egyptology: The 19th Century",
    episode_number: 7,
    episode_display: "Ch.3",
    episode_type: "bonus",
    explicit: true,
    is_blocked: true,
    audio_url: "https://media.example/audio.mp3?x=1&y=2",
    audio_file_size_bytes: 5242880,
    audio_content_type: "audio/mpeg",
    audio_has_seek_table: true,
    audio_duration_seconds: 1834,
    cover_image_url: "https://media.example/episode.jpg",
    transcripts: [{ url: "https://media.example/1.vtt", type: "text/vtt", language: "en", rel: "captions" }],
    chapters_url: "https://media.example/chapters.json",
    credits: [
      {
        name: "Ana Kowalska",
        role_label: "Host",
        avatar_url: "https://media.example/ana.jpg?s=1&t=2",
        external_url: "https://ana.example",
      },
      { name: "Bo & Cy", role_label: "Co-host", avatar_url: null, external_url: null },
      { name: "Di", role_label: "Guest", avatar_url: null, external_url: null },
      { name: "Ed", role_label: "Producer", avatar_url: null, external_url: null },
      { name: "Flo", role_label: "Composer", avatar_url: null, external_url: null },
      { name: "Gus", role_label: "Editor", avatar_url: null, external_url: null },
    ],
    listen_url: "https://api.example/listen/night-trains/paris-berlin",
    texts: [{ text: "2022-10-26T04:45:30.742Z", purpose: "release" }, { text: "true", purpose: "ai-content" }],
    soundbites: [
      { start_seconds: 73, duration_seconds: 60 },
      { start_seconds: 1234.5, duration_seconds: 42.25, title: "Why the Podcast Namespace Matters" },
    ],
    content_links: [{ href: "https://www.youtube.com/watch?v=example", text: "Watch this episode on YouTube!" }],
    alternate_enclosures: [
      {
        type: "video/mp4",
        length: 7924786,
        bitrate: 511276.52,
        height: 720,
        lang: "en-US",
        title: "Standard",
        rel: "video",
        codecs: "avc1.42E01E, mp4a.40.2",
        default: false,
        sources: [
          { uri: "https://example.com/file-720.mp4" },
          { uri: "ipfs://QmX33FYehk6ckGQ6g1D9D3FqZPix5JpKstKQKbaS8quUFb" },
          { uri: "https://example.com/file-720.torrent", content_type: "application/x-bittorrent" },
        ],
        integrity: { type: "sri", value: "sha384-ExVqijgYHm15PqQqdXfW95x+Rs6C+d6E/ICxyQOeFevnxNLR" },
      },
      { type: "application/x-mpegURL", length: 0, sources: [{ uri: "https://example.com/master.m3u8" }] },
    ],
    ...values,
    value_blocks: [{
      ...values.value_blocks[0],
      time_splits: [
        {
          start_time: 330,
          duration: "53.5",
          remote_start_time: 174,
          remote_percentage: 95,
          remote_item: {
            feed_guid: "a94f5cc9-8c58-55fc-91fe-a324087a655b",
            item_guid: "https://podcastindex.org/podcast/4148683#3",
            medium: "music",
          },
        },
        {
          start_time: 63,
          duration: 388,
          recipients: [{ name: "Jimbob (Guest)", type: "node", address: "02dd306e68c46681", split: 10 }],
        },
      ],
    }],
    ...changes,
  };
}

/** Values of a podcast without any feed value, and of an episode without any. */
const noValues: FeedValues = {
  ...{ license: null, license_url: null, funding: [], locations: [], images: [], social_interactions: [] },
  ...{ value_blocks: [], keywords: [], tags: [], extra_tags: [] },
};
export const barePodcast: Partial<FeedPodcast> = {
  ...noValues,
  ...{ verify_texts: [], update_frequency: null, podroll: [], remote_items: [], publisher: null, directory_blocks: [] },
  ...{ credits: [], trailers: [], newest_published_at: null },
};
export const bareEpisode: Partial<FeedEpisode> = {
  ...noValues,
  ...{ season_name: null, episode_display: null, texts: [], soundbites: [], content_links: [] },
  alternate_enclosures: [],
};
