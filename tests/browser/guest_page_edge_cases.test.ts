// Edge cases of the guest page: slow servers, busy chats, removed guests, narrow screens, keyboards.
import assert from "node:assert/strict";
import { byToken, invite } from "../http/api/guest_email.ts";
import { type Episode, episode, person, podcast, sendRequest, sql, stackInfo } from "../http/harness.ts";
import { inBrowser, newGuest, type Page, stopClock } from "./guest_page.ts";

const member = await person("member");

/** Writes `count` messages of the team, several in each millisecond. */
const postMessages = ({ id }: Episode, count: number) =>
  sql`insert into public.episode_messages (episode_id, sender_user_id, body, created_at)
    select ${id}, ${member.id}, 'No. ' || n, clock_timestamp() + n / 7 * interval '1 ms' from generate_series(1, ${count}::int) n`;

const shownTexts = (page: Page) => page.locator("#messages .text").allTextContents();
const written = async ({ id }: Episode) =>
  (await sql`select body from public.episode_messages where episode_id = ${id} order by created_at, id`).map((
    { body },
  ) => body);

/** Advances the page's timers until it has polled for news. */
async function pollAgain(page: Page) {
  const polled = page.waitForResponse(/\/messages\/list$/);
  await page.clock.fastForward(8000);
  await polled;
}

/** The problems that the page shows. */
const problems = async (page: Page) =>
  (await page.getByRole("alert").allInnerTexts()).map((text) => text.trim()).filter((text) => text);

/** Keeps requests to a path until they are released, and counts them. */
async function pauseRequests(page: Page, path: string) {
  const released = Promise.withResolvers<void>();
  const paused = { count: 0, release: released.resolve };
  await page.route(`**/api/guests${path}`, async (route) => {
    paused.count++;
    await released.promise;
    await route.continue();
  });
  return paused;
}

inBrowser(
  "the guest page shows all messages in order when more than a page arrives between two polls",
  async (page, open) => {
    await stopClock(page);
    const { pilot, token } = await newGuest("Busy");
    await postMessages(pilot, 3);
    await open(token);
    await page.getByText("No. 3").waitFor();
    await postMessages(pilot, 130);
    await pollAgain(page);
    await page.getByText("No. 130").waitFor();
    assert.deepEqual(await shownTexts(page), await written(pilot));
    assert.equal(await page.getByRole("button", { name: "Load earlier messages" }).isVisible(), false);
  },
);

inBrowser("the guest page keeps a long chat in order while new messages arrive", async (page, open) => {
  await stopClock(page);
  const { pilot, token } = await newGuest("Long and busy");
  await postMessages(pilot, 60);
  await open(token);
  await page.getByText("No. 60").waitFor();
  await postMessages(pilot, 55);
  await pollAgain(page);
  await page.locator("#messages li:nth-child(105)").waitFor();
  const earlier = await pauseRequests(page, "/messages/list");
  await page.getByRole("button", { name: "Load earlier messages" }).dblclick();
  earlier.release();
  await page.locator("#messages li:nth-child(115)").waitFor();
  assert.equal(earlier.count, 1);
  assert.deepEqual(await shownTexts(page), await written(pilot));
  await page.getByRole("log").and(page.locator(":focus")).waitFor(); // the button was removed, the focus was kept
});

inBrowser("a double click sends one message and keeps text typed meanwhile", async (page, open) => {
  const { pilot, token } = await newGuest("Slow");
  await open(token);
  const writing = page.getByLabel("Your message");
  await writing.fill("Once");
  const messages = await pauseRequests(page, "/messages");
  await page.getByRole("button", { name: "Send" }).dblclick();
  await writing.fill("Next");
  messages.release();
  await page.getByRole("listitem").filter({ hasText: "Once" }).waitFor();
  assert.equal(await writing.inputValue(), "Next");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("listitem").filter({ hasText: "Next" }).waitFor();
  assert.equal(await writing.inputValue(), "");
  assert.equal(messages.count, 2);
  assert.deepEqual(await written(pilot), ["Once", "Next"]);
});

inBrowser("the guest page sends one response when Accept and Decline are clicked quickly", async (page, open) => {
  const { token } = await newGuest("Hasty");
  await open(token);
  const [accepted, declined] = [await pauseRequests(page, "/accept"), await pauseRequests(page, "/decline")];
  await page.getByRole("button", { name: "Accept" }).dblclick();
  await page.getByRole("button", { name: "Decline" }).click();
  accepted.release();
  declined.release();
  await page.getByText("You're a guest on this episode.").waitFor();
  assert.deepEqual([accepted.count, declined.count], [1, 0]);
});

inBrowser("the guest page accepts the invitation while messages are still loading", async (page, open) => {
  const { token } = await newGuest("Slow chat");
  const messages = await pauseRequests(page, "/messages/list");
  await open(token);
  await page.getByRole("button", { name: "Accept" }).click();
  await page.getByText("Thanks").waitFor();
  messages.release();
  await page.getByText("No messages yet").waitFor();
});

inBrowser("the guest page closes when the guest is removed", async (page, open) => {
  await stopClock(page);
  const { token, episodeGuestId } = await newGuest("Removing");
  await open(token);
  await page.getByLabel("Your message").waitFor();
  await sendRequest({ method: "DELETE", path: `/api/guests/${episodeGuestId}`, as: "admin" });
  await pollAgain(page);
  await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
  assert.equal(await page.getByRole("button").count(), 0);
});

inBrowser("the guest page shows a decline from another window and still allows accepting", async (page, open) => {
  await stopClock(page);
  const { token } = await newGuest("Two windows");
  await open(token);
  await page.getByLabel("Your message").waitFor();
  await byToken("/decline", token);
  await pollAgain(page);
  await page.getByText("You declined this invitation, Gus.").waitFor();
  assert.equal(await page.getByLabel("Your message").isVisible(), false);
  await page.getByRole("button", { name: "Accept" }).click();
  await page.getByLabel("Your message").waitFor();
});

inBrowser("the guest page reports an outage only for the guest's own actions", async (page, open) => {
  await stopClock(page);
  const { pilot, token } = await newGuest("Offline");
  await open(token);
  await page.getByText("No messages yet").waitFor();
  await page.route("**/api/guests/**", (route) => route.abort());
  const failed = page.waitForEvent("requestfailed");
  await page.clock.fastForward(8000);
  await failed;
  await page.getByLabel("Your message").fill("Hello?");
  assert.equal((await problems(page)).join(""), "");
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator("#message-form").getByRole("alert").getByText("Can't reach the server").waitFor();
  assert.deepEqual(await problems(page), ["Can't reach the server. Please try again."]);
  assert.equal(await page.getByLabel("Your message").inputValue(), "Hello?");
  await page.unroute("**/api/guests/**");
  await postMessages(pilot, 1);
  await page.clock.fastForward(8000);
  await page.getByText("No. 1").waitFor();
});

inBrowser("the guest page moves keyboard focus to the status after a response", async (page, open) => {
  const { token } = await newGuest("Keys");
  await open(token);
  for (const [response, text] of [["Accept", "Thanks"], ["Decline", "You declined this invitation"]]) {
    await page.getByRole("button", { name: response }).focus();
    await page.keyboard.press("Enter");
    await page.locator("#status:focus", { hasText: text }).waitFor(); // the chat may say it, too
  }
});

inBrowser("the pages do not scroll sideways on a narrow screen with long names", async (page, open) => {
  const long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
  await page.setViewportSize({ width: 320, height: 900 });
  const show = await podcast(`Show ${long}`), pilot = await episode(show, `Pilot ${long}`);
  const [{ token }, other] = await Promise.all(
    ["gus", "ida"].map((name) => invite(pilot, { displayName: `${name}.${long}@subdomain.example.com` })),
  );
  await byToken("/messages", other.token, { body: `Hi ${long}` });
  const width = () => page.evaluate("document.documentElement.scrollWidth");
  await open(token);
  await page.getByText("Hi Donau").waitFor();
  assert.equal(await width(), 320);
  await page.getByRole("button", { name: "Accept invitation" }).click();
  await page.getByRole("button", { name: "Create account" }).click();
  await page.locator("#password:focus").waitFor();
  assert.equal(await width(), 320);
  await page.goto(`${stackInfo.functionsUrl}/public/listen/${show.slug}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(await width(), 320);
});
