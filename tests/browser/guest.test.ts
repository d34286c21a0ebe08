// The guest page in a browser, from the link in the email to a chat with the team.
import assert from "node:assert/strict";
import { invite } from "../http/api/guest_email.ts";
import { episode, person, podcast, sql } from "../http/harness.ts";
import { inBrowser, newGuest } from "./guest_page.ts";

inBrowser("a guest opens the link in the email, accepts the invitation and chats with the team", async (page) => {
  const pilot = await episode(await podcast("Night Trains"), "Paris–Wien");
  const { text, episodeGuestId } = await invite(pilot, { displayName: "Gus" });
  await page.goto(/https?:\S+#token=\S+/.exec(text)![0]);
  await page.getByText("Hi Gus, the team would like to have you as a guest on this episode.").waitFor();
  assert.equal(await page.title(), "Paris–Wien · Night Trains");
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Paris–Wien");
  await page.getByText("No messages yet.").waitFor();

  await page.getByRole("button", { name: "Accept" }).click();
  await page.getByText("Thanks, Gus. You're a guest on this episode.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Accept" }).isVisible(), false);
  const [{ status }] = await sql`select status from public.episode_guests where id = ${episodeGuestId}`;
  assert.equal(status, "active");

  await page.getByLabel("Your message").fill("Which platform?");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("listitem").filter({ hasText: "Which platform?" }).waitFor();
  assert.equal(await page.getByLabel("Your message").inputValue(), "");
  const member = await person("member");
  await member.client.from("episode_messages").insert({ episode_id: pilot.id, body: "Number nine" });
  await page.getByRole("listitem").filter({ hasText: "Number nine" }).waitFor(); // without a reload
  assert.deepEqual(await page.locator("#messages .text").allTextContents(), ["Which platform?", "Number nine"]);
  assert.match((await page.locator("#messages .quiet").first().textContent())!, /^You · /);

  await page.getByRole("button", { name: "Decline" }).click();
  await page.getByText("You declined this invitation, Gus.").waitFor();
  assert.equal(await page.getByLabel("Your message").isVisible(), false);
});

inBrowser("the guest page shows markup in names and messages as text", async (page, open) => {
  const markup = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
  const pilot = await episode(await podcast(`Show ${markup}`), `Pilot ${markup}`);
  const { token } = await invite(pilot, { displayName: `Gus ${markup}` });
  const admin = await person("admin");
  await admin.client.from("episode_messages").insert({ episode_id: pilot.id, body: `Said ${markup}` });
  await open(token);
  await page.getByText(`Said ${markup}`).waitFor();
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), `Pilot ${markup}`);
  assert.equal(await page.locator("main script, main img[src=x]").count(), 0);
});

inBrowser(
  "the guest page loads a long chat backwards and removes deleted messages",
  async (page, open) => {
    const { pilot, token } = await newGuest("Long");
    await sql`insert into public.episode_messages (episode_id, sender_user_id, body, created_at)
    select ${pilot.id}, ${(await person("admin")).id}, 'No. ' || n, now() - (200 - n) * interval '1 minute'
    from generate_series(1, 120) n`;
    const numbers = async () =>
      (await page.locator("#messages .text").allTextContents()).map((text) => Number(text.slice(4)));
    const from = (first: number, last = 120) => Array.from({ length: last - first + 1 }, (_, n) => first + n);
    await open(token);
    await page.getByText("No. 120").waitFor();
    assert.deepEqual(await numbers(), from(71));
    await page.getByRole("button", { name: "Load earlier messages" }).click();
    await page.getByText("No. 21", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Load earlier messages" }).click();
    await page.getByText("No. 1", { exact: true }).waitFor();
    assert.deepEqual(await numbers(), from(1));
    assert.equal(await page.getByRole("button", { name: "Load earlier messages" }).isVisible(), false);
    await sql`update public.episode_messages set body = null, deleted_at = now()
      where episode_id = ${pilot.id} and body = 'No. 120'`;
    await page.getByText("No. 120").waitFor({ state: "detached" });
    assert.equal(await page.getByText("Message deleted").count(), 1);
    assert.deepEqual(await numbers(), from(1, 119));
  },
);

inBrowser("the guest page explains what to do when the token is missing or invalid", async (page, open) => {
  await open();
  await page.getByRole("heading", { name: "This link is incomplete" }).waitFor();
  await page.getByRole("alert").getByText("Please open this page with the link in your invitation email.").waitFor();
  await open(crypto.randomUUID());
  await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
  await page.getByRole("alert").getByText("ask the person who invited you to send you a new invitation").waitFor();
  await open("junk");
  await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
  assert.equal(await page.getByRole("button").count(), 0);
});
