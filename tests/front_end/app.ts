// A typical front end: supabase-js with the generated types, strict and without casts.
import { createClient } from "@supabase/supabase-js";
import type { Database } from "../../types/database.ts";
import { ListPodcastGuestsResponse } from "../../types/guests.ts";
import { ListPeopleResponse } from "../../types/people.ts";

export type Client = ReturnType<typeof connect>;
type Tables = Database["public"]["Tables"];
export type Episode = Tables["episodes"]["Row"];
export type NewEpisode = Tables["episodes"]["Insert"];

/** The version unlocks maxAffected() in supabase-js's types. */
export function connect(url: string, key: string, token?: string) {
  return createClient<Database, { PostgrestVersion: "13" }>(url, key, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    ...(token === undefined ? {} : { accessToken: () => Promise.resolve(token) }),
  });
}

/** The types require only columns that RLS and column grants allow. */
export async function insertPodcast(client: Client, title: string) {
  const { data } = await client.from("podcasts")
    .insert({ title, language: "de", type: "serial", categories: [{ category: "Technology" }] })
    .select("id, slug, podcast_guid, owner_id, status").single().throwOnError();
  return data;
}

export async function insertEpisodes(client: Client, podcastId: string, ...titles: string[]) {
  const rows = titles.map((title, i): NewEpisode => ({ podcast_id: podcastId, title, episode_number: i + 1 }));
  const { data } = await client.from("episodes").insert(rows).select("id, slug, guid, status").order("slug")
    .throwOnError();
  return data;
}

export async function writeMessage(client: Client, episodeId: string, body: string) {
  const { data } = await client.from("episode_messages").insert({ episode_id: episodeId, body })
    .select("id, body, sender_user_id, podcast_id").single().throwOnError();
  return data;
}

export async function renameEpisode(client: Client, id: string, title: string, summary: string | null) {
  const { data } = await client.from("episodes").update({ title, summary, explicit: true }).eq("id", id)
    .select("title, summary, explicit, updated_at").single().throwOnError();
  return data;
}

export async function updateMyself(client: Client, id: string, displayName: string) {
  await client.from("profiles").update({ display_name: displayName }).eq("id", id).throwOnError();
  await client.from("podcast_members").update({ auto_add_to_new_episodes: true }).eq("user_id", id).throwOnError();
}

/** Embeds many to one, one to many, through a junction, and by hints. */
export async function readPodcast(client: Client, id: string) {
  const { data } = await client.from("podcasts").select(`
      title, status, owner:profiles!owner_id(display_name),
      episodes(title, episode_number, episode_credits(name, role_label, display_order)),
      podcast_members(role, profiles(display_name))
    `).eq("id", id).order("episode_number", { referencedTable: "episodes" }).single().throwOnError();
  return {
    title: data.title,
    owner: data.owner.display_name,
    episodes: data.episodes.map(({ title, episode_credits }) => ({
      title,
      hosts: episode_credits.map(({ name }) => name),
    })),
    team: data.podcast_members.map(({ role, profiles }) => `${profiles.display_name ?? "?"}: ${role}`),
  };
}

export async function readEpisode(client: Client, id: string) {
  const { data } = await client.from("episodes").select(
    "title, status, podcasts(title, language), episode_people(name, is_active)",
  )
    .eq("id", id).maybeSingle().throwOnError();
  return data && { title: data.title, podcast: data.podcasts.title, people: data.episode_people.length };
}

export async function listDrafts(client: Client, podcastId: string) {
  const { data, count } = await client.from("episodes").select("title, podcasts!inner(title)", { count: "exact" })
    .eq("status", "draft").eq("podcast_id", podcastId).neq("podcasts.status", "pending_deletion").order("title").range(
      0,
      1,
    )
    .throwOnError();
  return { titles: data.map(({ title }) => title), count };
}

export async function countEpisodes(client: Client, podcastId: string): Promise<number | null> {
  const { count } = await client.from("episodes").select("id", { count: "exact", head: true }).eq(
    "podcast_id",
    podcastId,
  )
    .throwOnError();
  return count;
}

/** RPC functions with all, some and no arguments. Functions that return rows behave like tables. */
export async function useFunctions(client: Client, title: string) {
  const { data: podcast } = await client.rpc("create_podcast", { title, explicit: true }).throwOnError();
  const { data: episode } = await client.rpc("create_episode", { podcast_id: podcast.id, title: "Pilot" })
    .select("id, title, podcasts(title)").throwOnError();
  const { data: roster } = await client.rpc("list_episode_people", { episode_id: episode.id }).throwOnError();
  const { data: guests } = await client.rpc("list_podcast_guests", { podcast_id: podcast.id, limit: 5 }).throwOnError();
  const rejected = await client.rpc("publish_episode", { episode_id: episode.id });
  const archived = await client.rpc("archive_episode", { episode_id: episode.id }).throwOnError();
  // Functions that return JSON are read with the schemas of types/.
  const { people } = ListPeopleResponse.shape.data.parse(roster);
  return {
    podcast: podcast.title,
    episode: `${episode.title} of ${episode.podcasts.title}`,
    people: people.map(({ name, roleLabel }) => `${name}: ${roleLabel}`),
    guests: ListPodcastGuestsResponse.shape.data.parse(guests).map(({ email }) => email),
    error: rejected.error && { status: rejected.status, code: rejected.error.hint },
    status: archived.data.status,
  };
}

export async function deleteDrafts(client: Client, podcastId: string, atMost: number) {
  return await client.from("episodes").delete({ count: "exact" }).eq("podcast_id", podcastId).eq("status", "draft")
    .maxAffected(atMost);
}
