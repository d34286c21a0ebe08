// Podcasts that move or are deleted, and what their public addresses return.
import assert from "node:assert/strict";
import { childrenNamed, parseXml } from "../../feed_writer/fixture.ts";
import { put } from "../api/audio.ts";
import { fetchDocumented } from "../documented_responses.ts";
import { callRpc, type Episode, episode, person, type Podcast, podcast, sql, stackInfo, waitFor } from "../harness.ts";

export const owner = await person("owner");
export const NEW_HOME = "https://new-home.example/fé?show=1&from=castbase";
/** As a URI, which headers and feeds require. */
export const LOCATION = "https://new-home.example/f%C3%A9?show=1&from=castbase";

export interface Show extends Podcast {
  title: string;
  published: Episode;
  draft: Episode;
}

/** A podcast with a published episode, which its feed lists, and a draft. */
export async function makeShow(title: string): Promise<Show> {
  const show = await podcast(title), published = await episode(show, "Pilot"), draft = await episode(show, "Not yet");
  await put(show, published, { query: { duration: "125" } });
  await callRpc(owner, "publish_episode", { episode_id: published.id });
  await waitFor("its item", async () => (await get(`/feeds/${show.slug}.xml`)).text.includes("<item>"));
  return { ...show, title, published, draft };
}

export interface Got {
  status: number;
  location: string | null;
  headers: Headers;
  text: string;
}

export async function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Got> {
  const url = `${stackInfo.functionsUrl}/public${path}`;
  const response = await fetchDocumented(url, { method, headers, redirect: "manual" });
  const text = await response.text();
  return { status: response.status, location: response.headers.get("location"), headers: response.headers, text };
}

/** What a response names as the feed's new address; none without a document. */
export const newFeedUrls = ({ text }: Got) =>
  text.includes("<rss") ? childrenNamed(parseXml(text).children[0], "itunes:new-feed-url").map((tag) => tag.text) : [];

export const requestDeletion = ({ id, title }: Show, redirect_url: string | null, redirect_days: number) =>
  callRpc(owner, "delete_podcast", { podcast_id: id, confirm_name: title, redirect_url, redirect_days });

export async function deleteNow({ id }: { id: string }) {
  const [{ is_deleted }] = await sql`
    select private.delete_due_podcast(${id}, now() + interval '91 days') as is_deleted`;
  assert.equal(is_deleted, true);
}
