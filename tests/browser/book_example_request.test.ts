// The request of docs/examples/book.html, and what the page says when it cannot be sent.
import assert from "node:assert/strict";
import * as dates from "../../docs/examples/zoned_dates.js";
import { sendRequest, sql } from "../http/harness.ts";
import {
  alert,
  assertAccessible,
  bookingLink,
  bookingsOf,
  chosenDate,
  click,
  dayIn,
  fillDetails,
  heading,
  HOST_ZONE,
  longDay,
  newAddress,
  open,
  openLink,
  PHONE,
  plain,
  request,
  shownTimes,
  slotsOn,
  source,
  timeIn,
  times,
} from "./booking_page.ts";
import { inBrowser } from "./guest_page.ts";

inBrowser("the booking page says that a time was just taken, and keeps what was typed", async (page) => {
  const link = await bookingLink(), address = newAddress();
  await using _server = await openLink(page, link);
  await times(page).first().waitFor();
  const [taken] = await slotsOn(link, await chosenDate(page), HOST_ZONE), count = await times(page).count();
  await times(page).first().click();
  await fillDetails(page, address, "Platform nine");
  assert.equal((await request(link, taken)).status, 201);
  await click(page, "Send request");
  await alert(page, "Someone was faster: this time is no longer free. Please choose another one.");
  await page.locator("#day:focus").waitFor();
  await assertAccessible(page);
  if (count === 1) await click(page, "Find next free day");
  else assert.ok(!(await shownTimes(page)).includes(plain(timeIn(HOST_ZONE, taken))));
  await times(page).first().click();
  assert.equal(await page.getByLabel("Note (optional)").inputValue(), "Platform nine");
  await click(page, "Send request");
  await heading(page, "Check your email");
  assert.equal((await bookingsOf(address)).length, 1);
}, { timezoneId: HOST_ZONE, locale: "en-US", viewport: PHONE });

inBrowser("a lost response on the booking page leads to one booking", async (page) => {
  const link = await bookingLink(), address = newAddress();
  await using _server = await openLink(page, link);
  await times(page).first().waitFor();
  await times(page).first().click();
  await fillDetails(page, address);
  const keys: string[] = [];
  await page.route("**/api/bookings", async (route) => {
    const sent = route.request(), key = sent.headers()["idempotency-key"];
    if (key) keys.push(key);
    if (!key || keys.length > 1) return route.continue();
    const headers = { "content-type": "application/json", "idempotency-key": key };
    await (await fetch(sent.url(), { method: "POST", headers, body: sent.postData() })).body?.cancel(); // the server books
    await route.abort();
  });
  await click(page, "Send request");
  await alert(page, "We can't reach the server. Please check your connection and try again.");
  assert.equal((await bookingsOf(address)).length, 1);
  await click(page, "Send request");
  await heading(page, "Check your email");
  assert.equal((await bookingsOf(address)).length, 1);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
}, { timezoneId: HOST_ZONE, locale: "en-US" });

inBrowser("the booking page names a rejected field", async (page) => {
  const link = await bookingLink(), address = newAddress();
  await using _server = await openLink(page, link);
  await times(page).first().waitFor();
  await times(page).last().click();
  await fillDetails(page, "zoe");
  await page.evaluate(`document.getElementsByName("guestEmail")[0].type = "text"`); // a browser that doesn't check it
  await click(page, "Send request");
  await alert(page, "Email address: must be a valid email address");
  await page.locator("[name=guestEmail][aria-invalid=true]:focus").waitFor();
  await page.locator("label:has([name=guestEmail]) + [role=alert]").waitFor();
  await assertAccessible(page);
  await page.getByLabel("Email address").fill(address);
  await click(page, "Send request");
  await heading(page, "Check your email");
}, { timezoneId: HOST_ZONE, locale: "en-US", viewport: PHONE });

inBrowser("the booking page finds a link by slugs and asks its questions", async (page) => {
  const questions = [
    { id: "main_topic", label: "What is it about?", isRequired: true },
    { id: "notes", label: "What should we read?", isRequired: false },
    { id: "guestName", label: "Which pronouns do you use?" },
    { id: "hebrew", label: "מה הנושא?" },
  ];
  const { podcast, slug } = await bookingLink({ questions }), address = newAddress();
  await using _server = await open(page, { search: `?${new URLSearchParams({ podcast, link: slug })}` });
  await times(page).first().waitFor();
  await times(page).first().click();
  await fillDetails(page, address, "Platform nine");
  const topic = page.getByLabel("What is it about?");
  const directions =
    `[...document.querySelectorAll("#questions label")].map((each) => getComputedStyle(each).direction)`;
  assert.deepEqual(await page.evaluate(directions), ["ltr", "ltr", "ltr", "rtl"], "of the labels' scripts");
  await click(page, "Send request"); // the browser stops it
  await page.locator("[name='answers.main_topic']:invalid:focus").waitFor();
  await topic.fill(" ");
  await page.getByLabel("Which pronouns do you use? (optional)").fill("she");
  await click(page, "Send request");
  await page.getByRole("alert").getByText("What is it about?: is required", { exact: true }).waitFor();
  await page.locator("[name='answers.main_topic'][aria-invalid=true]:focus").waitFor();
  await page.locator("#questions label:first-child + [role=alert]").waitFor();
  await assertAccessible(page);
  await topic.fill("Trains");
  await click(page, "Send request");
  await heading(page, "Check your email");
  const [{ answers, notes }] = await bookingsOf(address);
  assert.deepEqual([answers, notes], [{ main_topic: "Trains", guestName: "she" }, "Platform nine"]);
}, { timezoneId: HOST_ZONE, locale: "en-US", viewport: PHONE });

inBrowser(
  "the booking page explains limits, days without times, outages and links that no longer work",
  async (page) => {
    const link = await bookingLink(), address = newAddress();
    await using server = await openLink(page, link);
    await times(page).first().waitFor();
    const date = await chosenDate(page);
    const later = await Promise.all([1, 2].map((days) => slotsOn(link, dates.addDays(date, days), HOST_ZONE)));
    for (const slot of later.flat().slice(0, 10)) {
      assert.equal((await request(link, slot, address)).status, 201);
    }
    await times(page).first().click();
    await fillDetails(page, address);
    await click(page, "Send request");
    await alert(page, "Too many requests for now. Please try again after");
    await page.route("**/api/bookings", (route) => route.fulfill({ status: 429, body: "<h1>Slow down</h1>" })); // a proxy's
    await click(page, "Send request");
    await alert(page, "Something went wrong on our side. Please try again in a moment.");
    await page.unroute("**/api/bookings");
    await click(page, "Change time");

    const today = dayIn(HOST_ZONE, Date.now());
    const message = (await sendRequest({
      method: "GET",
      path: `/api/availability?bookingLinkId=${link.id}&date=${today}`,
    })).body.data.message;
    if (!date.startsWith(today.slice(0, 7))) await click(page, "Show previous month");
    await page.locator(`[data-date="${today}"]`).click();
    await page.getByText(message).waitFor();
    await click(page, "Find next free day");
    await heading(page, longDay(date));

    await page.route("**/api/availability*", (route) => route.abort());
    await page.reload();
    await alert(page, "We can't reach the server.");
    await page.unroute("**/api/availability*");
    await click(page, "Try again");
    await times(page).first().waitFor();

    await sql`update public.booking_links set is_active = false where id = ${link.id}`;
    await page.reload();
    await alert(page, "This booking page no longer exists. Please ask the podcast for a new link.");
    for (const search of ["", "?link=junk"]) {
      await page.goto(`${server.url}/book.html${search}`);
      await page.getByRole("alert").filter({ hasText: /link/ }).waitFor();
    }
    await page.goto(`${server.url}/book.html#token=${"x".repeat(43)}`);
    await alert(page, "This link no longer works.");
    await assertAccessible(page);
  },
  { timezoneId: HOST_ZONE, locale: "en-US", viewport: { width: 320, height: 640 } },
);

Deno.test("the booking page's configuration names the local stack", () => {
  assert.ok(source.includes(`url: "http://127.0.0.1:54321"`));
});

for (
  const [emails, when, text] of [
    [20, "when the link follows if many wrote to the address", /The link to your booking follows by email after/],
    [40, "when there is no room for the email with the link", /We can't email you a link to it today\./],
  ] as const
) {
  inBrowser(`the booking page says ${when}`, async (page) => {
    const link = await bookingLink({ min_notice_hours: 48 }), address = newAddress();
    await sql`
      select private.recipient_email_time('podcast:' || l.podcast_id, ${address}, now())
      from public.booking_links l, generate_series(1, ${emails}::int) where l.id = ${link.id}`;
    await using _server = await openLink(page, link);
    await times(page).first().click();
    await fillDetails(page, address);
    await click(page, "Send request");
    await heading(page, "Request sent");
    await page.getByText(text).waitFor();
    assert.equal(await page.locator("#sent-email").isVisible(), false);
    await assertAccessible(page);
  }, { timezoneId: HOST_ZONE, locale: "en-US", viewport: PHONE });
}
