// Rows that fill every tag, and a strict parser to read feeds back.
export { childrenNamed, type Node, parseXml } from "../../functions/feed_report/xml_tree.ts";
import type { FeedEpisode, FeedPodcast } from "../../functions/feed_writer/rows.ts";

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
    funding: [{ url: "https://nighttrains.example/give?a=1&b=2", text: "Buy us a ticket" }],
    is_complete: true,
    is_blocked: true,
    podcast_guid: "917393e3-1b1e-5cef-ace4-edaa54e1f810",
    locked: true,
    verify_texts: [{ text: "S6lpp-7ZCn8", purpose: "verify" }, { text: "no purpose given" }],
    apple_verify_token: "05124",
    ai_disclosure: "The intro music is machine-made.",
    cover_image_url: "https://media.example/cover.jpg",
    deletion_redirect_url: "https://new-home.example/feed?show=night&trains",
    feed_url: "https://api.example/feeds/night-trains.xml",
    listen_url: "https://api.example/listen/night-trains",
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
    summary: "Thirteen hours & no Wi-Fi.",
    description: "The description.",
    show_notes_safe_html: '<p>Read <a href="https://example.com/?a=1&amp;b=2">more</a></p>',
    show_notes_version: 1,
    published_at: "2026-11-20T09:00:00.123456+00:00",
    updated_at: "2026-11-20T09:00:01.654321+00:00",
    season_number: 2,
    episode_number: 7,
    episode_type: "bonus",
    explicit: true,
    is_blocked: true,
    audio_url: "https://media.example/audio.mp3?x=1&y=2",
    audio_file_size_bytes: 5242880,
    audio_content_type: "audio/mpeg",
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
    ...changes,
  };
}
