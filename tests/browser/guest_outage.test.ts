// The guest page during an outage: it retries by itself and shows errors beside their buttons.
import assert from "node:assert/strict";
import { inBrowser, newGuest, type Page, stopClock } from "./guest_page.ts";

const WAITS = [1, 2, 4, 8, 16, 30, 30, 30, 30, 30]; // seconds
const everything = "**/api/guests/**";
const tryAgain = (page: Page) => page.getByRole("button", { name: "Try again" });
const hello = (page: Page) => page.getByText("Hi Gus");

/** Runs `after` and waits until a request of the page has failed. */
async function fails(page: Page, after: () => Promise<unknown>) {
  const failed = page.waitForEvent("requestfailed");
  await after();
  await failed;
}

inBrowser(
  "the guest page opens the invitation without a reload when the server is reachable again",
  async (page, open) => {
    await stopClock(page);
    const { token } = await newGuest("Outage");
    await page.route(everything, (route) => route.abort());
    await fails(page, () => open(token));
    await page.getByRole("alert").getByText("Can't reach the server.").waitFor();
    await page.getByText("Retrying automatically.").waitFor();
    await page.evaluate("window.isSamePage = true");
    await fails(page, () => page.clock.fastForward(1000));
    await page.unroute(everything);
    await page.getByText("Retrying automatically.").waitFor();
    await page.clock.fastForward(2000);
    await hello(page).waitFor();
    assert.equal(await page.evaluate("window.isSamePage"), true);
    assert.equal(await tryAgain(page).isVisible(), false);
    assert.equal((await page.getByRole("alert").allInnerTexts()).join("").trim(), "");
    await page.getByText("No messages yet").waitFor();
  },
);

inBrowser("the guest page retries after a 503, and at once when the guest presses Try again", async (page, open) => {
  await stopClock(page);
  const { token } = await newGuest("Busy server");
  await page.route(everything, (route) => route.fulfill({ status: 503, json: { error: "No" } }));
  await open(token);
  await tryAgain(page).waitFor();
  await page.unroute(everything);
  await tryAgain(page).focus();
  await page.keyboard.press("Enter");
  await hello(page).waitFor();
  await page.locator("#status:focus").waitFor(); // the button was removed, the focus was kept
});

inBrowser(
  "the guest page stops retrying after ten attempts and resumes on Try again or when the network returns",
  async (page, open) => {
    await stopClock(page);
    const { token } = await newGuest("Long outage");
    let requestCount = 0;
    await page.route(everything, (route) => (requestCount++, route.abort()));
    await fails(page, () => open(token));
    for (const seconds of WAITS) {
      await page.getByText("Retrying automatically.").waitFor();
      await fails(page, () => page.clock.fastForward(seconds * 1000));
    }
    await page.getByText("Can't reach the server. Check your connection.").waitFor();
    await page.clock.fastForward(600_000);
    assert.equal(requestCount, 1 + WAITS.length);
    await fails(page, () => tryAgain(page).click());
    await page.getByText("Retrying automatically.").waitFor();
    await page.unroute(everything);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await hello(page).waitFor();
  },
);

inBrowser(
  "the guest page announces an error below its button and removes it on the next attempt",
  async (page, open) => {
    await stopClock(page); // no look at the chat meanwhile
    const { token } = await newGuest("Problems");
    await open(token);
    await page.getByText("No messages yet").waitFor();
    await page.route(everything, (route) => route.abort());
    const text = "Can't reach the server. Please try again.";
    const accept = page.getByRole("button", { name: "Accept" });
    await accept.click();
    const problem = page.getByRole("alert").filter({ hasText: text });
    await problem.waitFor();
    const [button, message, player] = [
      (await accept.boundingBox())!,
      (await problem.boundingBox())!,
      (await page.getByRole("heading", { name: "Chat with the team" }).boundingBox())!,
    ];
    assert.ok(
      button.y < message.y && message.y < player.y && message.y - button.y < 120,
      JSON.stringify([button, message, player]),
    );
    await page.unroute(everything);
    await accept.click();
    await page.getByText("Thanks, Gus").waitFor();
    assert.equal(await problem.count(), 0);
  },
);

inBrowser("the guest page shows an error in the chat until messages can be loaded", async (page, open) => {
  await stopClock(page);
  const { token } = await newGuest("Chat only");
  await page.route("**/messages/list", (route) => route.abort());
  await fails(page, () => open(token));
  await page.locator("#chat").getByRole("alert").getByText("Can't reach the server").waitFor();
  await hello(page).waitFor();
  await page.unroute("**/messages/list");
  await page.clock.fastForward(8000);
  await page.getByText("Can't reach the server").waitFor({ state: "detached" });
});

inBrowser("the guest page lists messages inside a log region", async (page, open) => {
  const { token } = await newGuest("Roles");
  await open(token);
  await page.getByLabel("Your message").fill("Hello");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("log", { name: "Messages" }).getByRole("list").getByRole("listitem").getByText("Hello")
    .waitFor();
});
