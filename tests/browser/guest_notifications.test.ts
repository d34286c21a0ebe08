// The guest page and notifications: it notifies the team of messages, and marks the guest's notifications as read.
import assert from "node:assert/strict";
import { byToken } from "../http/api/guest_email.ts";
import { person, sendRequest, sql, waitFor } from "../http/harness.ts";
import { inBrowser, newGuest, type Page, stopClock } from "./guest_page.ts";

const member = await person("member");

async function guest(title: string) {
  const guest = await newGuest(title);
  await byToken("/accept", guest.token);
  return guest;
}

async function postAsMember(episodeId: string) {
  const { data } = await member.client.from("episode_messages").insert({ episode_id: episodeId, body: "Number nine" })
    .select("id").single();
  const json = { episodeId, messageId: data!.id };
  const notify = () => sendRequest({ method: "POST", path: "/api/notifications/events/chat", json, as: "member" });
  return { notify };
}

async function send(page: Page, text: string) {
  await page.getByLabel("Your message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("listitem").filter({ hasText: text }).waitFor();
}

const notifiedMembers = async (body: string, episodeId: string) =>
  (await sql`select from public.notifications where body = ${body} and metadata ->> 'episode_id' = ${episodeId}`)
    .length;
const unread = async (episodeGuestId: string) =>
  (await sql`select from public.notifications where episode_guest_id = ${episodeGuestId} and read_at is null`).length;

inBrowser("the guest page notifies the team of a message, after an outage by itself", async (page, open) => {
  await stopClock(page);
  const { pilot, token } = await guest("Announced");
  await open(token);
  await send(page, "Which platform?");
  await waitFor("the team is notified", async () => await notifiedMembers("Which platform?", pilot.id) === 3);
  const failed = page.waitForEvent("requestfailed");
  await page.route("**/events/chat", (route) => route.abort());
  await send(page, "And when?");
  await failed;
  assert.equal((await page.getByRole("alert").allInnerTexts()).join("").trim(), "", "the message was sent");
  await page.unroute("**/events/chat");
  await page.clock.fastForward(8000); // the next poll
  await waitFor("the team is notified", async () => await notifiedMembers("And when?", pilot.id) === 3);
});

inBrowser("the guest page marks notifications as read, also those that follow their message", async (page, open) => {
  await stopClock(page);
  const { pilot, token, episodeGuestId } = await guest("Seen");
  await (await postAsMember(pilot.id)).notify();
  assert.equal(await unread(episodeGuestId), 1);
  await open(token);
  await page.getByText("Number nine").waitFor();
  assert.equal(await unread(episodeGuestId), 1, "a scanner that runs scripts reads nothing");
  const first = page.waitForResponse("**/guest-read");
  await page.mouse.wheel(0, 10);
  await first;
  assert.equal(await unread(episodeGuestId), 0);
  const { notify } = await postAsMember(pilot.id);
  const marked = page.waitForResponse("**/guest-read");
  await page.clock.fastForward(8000);
  await marked; // before the sender's client notifies
  await notify();
  assert.equal(await unread(episodeGuestId), 1);
  await page.clock.fastForward(8000);
  await waitFor("the notification is read", async () => await unread(episodeGuestId) === 0);
});
