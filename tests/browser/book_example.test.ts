// docs/examples/book.html in Chromium against the running stack: visitors in three time zones book with a host in New York.
import assert from "node:assert/strict";
import { join } from "node:path";
import * as dates from "../../docs/examples/zoned_dates.js";
import { repository } from "../../local/project.ts";
import { person, podcast, sendRequest, sql, stackInfo } from "../http/harness.ts";
import { emailsTo } from "../http/inbox.ts";
import { startHttpServer } from "../http_server.ts";
import { waitFor } from "../wait_for.ts";
import { inBrowser, type Page } from "./guest_page.ts";

const read = (path: string) => Deno.readTextFile(join(repository, path));
const source = await read("docs/examples/book.html"), axe = await read("node_modules/axe-core/axe.min.js");
const CONFIG = /const config = \{[^]*?\n {6}\};/;
const types = new Map([["html", "text/html"], ["css", "text/css"], ["js", "text/javascript"]]);
const files = new Map<string, string>();
for (const name of ["book.js", "book.css", "example.css", "zoned_dates.js"]) {
  files.set(`/${name}`, await read(`docs/examples/${name}`));
}

const HOST_ZONE = "America/New_York", HOUR = 3_600_000;
const ZONES = ["Pacific/Auckland", "Asia/Kolkata", "America/Los_Angeles"];
const PHONE = { width: 390, height: 844 }, DESKTOP = { width: 1280, height: 900 };

/** A booking link of the host: one hour, every day from 9 to 17. */
async function bookingLink(changes: Record<string, unknown> = {}) {
  const { client } = await person("owner"), show = await podcast("Night Trains");
  const { data } = await client.from("booking_links").insert({
    podcast_id: show.id,
    name: "Guest interview",
    description: "An hour about trains.\nBring a story.",
    timezone: HOST_ZONE,
    min_notice_hours: 24,
    availability_rules: [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, startTime: "09:00", endTime: "17:00" })),
    ...changes,
  }).select("id, name, slug").single().throwOnError();
  return { ...data as { id: string; name: string; slug: string }, podcast: show.slug };
}

interface Options {
  config?: Record<string, unknown>;
  /** Behind the page's address. */
  search?: string;
}

/** Opens the page as a web server would deliver it. */
async function open(page: Page, { config = {}, search = "" }: Options = {}) {
  const configuration = `const config = ${JSON.stringify({ url: stackInfo.url, link: "", podcast: "", ...config })};`;
  const html = source.replace(CONFIG, () => configuration);
  assert.ok(html.includes(configuration));
  const server = startHttpServer((request) => {
    const { pathname } = new URL(request.url), text = files.get(pathname) ?? html;
    const type = types.get(pathname.split(".").at(-1)!) ?? "text/html";
    return new Response(text, { headers: { "content-type": `${type}; charset=utf-8` } });
  });
  await page.goto(`${server.url}/book.html${search}`);
  return server;
}

const openLink = (page: Page, { id }: { id: string }, options: Options = {}) =>
  open(page, { search: `?link=${id}`, ...options });

/** The slots of the API that start on a date of the zone. */
async function slotsOn(link: { id: string }, date: string, zone: string): Promise<string[]> {
  const linkDates = [dates.addDays(date, -1), date, dates.addDays(date, 1)];
  const responses = await Promise.all(
    linkDates.map((each) =>
      sendRequest({ method: "GET", path: `/api/availability?bookingLinkId=${link.id}&date=${each}` })
    ),
  );
  const starts: string[] = responses.flatMap(({ body }) =>
    body.data.slots.map(({ start }: { start: string }) => start)
  );
  return starts.filter((start) => dayIn(zone, start) === date);
}

const dayIn = (timeZone: string, instant: string | number | Date) =>
  new Date(instant).toLocaleDateString("sv", { timeZone });
const timeIn = (timeZone: string, instant: string) =>
  new Date(instant).toLocaleTimeString("en-US", { timeZone, timeStyle: "short" });
const longDay = (date: string) =>
  new Date(`${date}T00:00Z`).toLocaleDateString("en-US", { dateStyle: "full", timeZone: "UTC" });

const times = (page: Page) => page.locator("#times button");
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const alert = (page: Page, text: string) => page.getByRole("alert").getByText(text).waitFor();
const plain = (text: string | null) => text!.replace(/\s/g, " ");
const shownTimes = async (page: Page) => (await times(page).allTextContents()).map(plain);
const chosenDate = (page: Page) => page.locator("[aria-pressed=true]").getAttribute("data-date") as Promise<string>;
const loaded = (page: Page) => page.locator("main[aria-busy=false]").waitFor();
/** The focused element: its label or text. */
const focused = (page: Page) =>
  page.evaluate(`{
    const { activeElement: { ariaLabel, labels, textContent } } = document;
    (ariaLabel ?? labels?.[0]?.firstChild.data ?? textContent).trim();
  }`) as Promise<string>;

const newAddress = () => `zoe-${crypto.randomUUID()}@guests.test`;
const bookingsOf = (address: string) =>
  sql`select id, status, start_time, notes, guest_timezone, guest_locale, answers from public.bookings
    where guest_email = ${address} order by created_at`;

async function fillDetails(page: Page, address: string, note = "") {
  await page.getByLabel("Name").fill("Zoe");
  await page.getByLabel("Email address").fill(address);
  await page.getByLabel("Note (optional)").fill(note);
}

/** Requests a slot without the page. */
const request = (link: { id: string }, startTime: string, guestEmail = newAddress()) =>
  sendRequest({
    method: "POST",
    path: "/api/bookings",
    json: { bookingLinkId: link.id, startTime, guestName: "Ada", guestEmail },
  });

/** The token in the newest email to the address. */
async function tokenOf(address: string, count = 1): Promise<string> {
  await sql`select private.enqueue_due_deliveries()`;
  await waitFor("the email", async () => (await emailsTo(address)).length >= count);
  return /#token=(\S+)/.exec((await emailsTo(address)).at(-1)!.Text)![1];
}

interface AxeResults {
  violations: { id: string; nodes: { html: string }[] }[];
}

/** No violation of axe-core's rules in light and dark, nothing wider than the window, and targets of 44 pixels. */
async function assertAccessible(page: Page) {
  await page.evaluate(axe);
  for (const [colorScheme, rules] of [["dark", "{ runOnly: ['color-contrast'] }"], ["light", "{}"]] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate(`axe.run(${rules})`) as AxeResults;
    assert.deepEqual(violations.map(({ id, nodes }) => [colorScheme, id, nodes.map(({ html }) => html)]), []);
  }
  const { width } = page.viewportSize()!;
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
  const small =
    `[...document.querySelectorAll("button, select, input, textarea")].filter((each) => each.checkVisibility())
    .filter((each) => each.getBoundingClientRect().height < 44 || each.getBoundingClientRect().width < 44)
    .map((each) => each.outerHTML)`;
  assert.deepEqual(await page.evaluate(small), []);
}

Deno.test("zoned_dates.js finds the dates of a zone that overlap a date of another", () => {
  const zones = [...ZONES, HOST_ZONE, "UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Australia/Lord_Howe"];
  for (const date of ["2026-03-08", "2026-04-05", "2026-10-04", "2026-11-01", "2026-12-31", "2027-02-28"]) {
    const instants = Array.from({ length: 4 * 48 }, (_, i) => Date.parse(`${date}T00:00Z`) + (i - 72) * HOUR / 2);
    const days = new Map(zones.map((zone) => [zone, instants.map((instant) => dayIn(zone, instant))]));
    for (const zone of zones) {
      const isOn = days.get(zone)!.map((day) => day === date);
      assert.equal(dates.startOf(date, zone), instants[isOn.indexOf(true)], `${date} in ${zone}`);
      for (const other of zones) {
        const expected = [...new Set(days.get(other)!.filter((_, i) => isOn[i]))];
        assert.deepEqual(dates.overlappingDates(date, zone, other), expected, `${date}: ${zone}, ${other}`);
      }
    }
  }
});

for (const timezoneId of ZONES) {
  inBrowser(`the booking page shows the slots of New York by the dates of ${timezoneId}`, async (page) => {
    const link = await bookingLink();
    await using _server = await openLink(page, link);
    await times(page).first().waitFor();
    assert.equal(await page.title(), "Guest interview · Night Trains");
    await page.getByText("An hour about trains.").waitFor();
    let date = await chosenDate(page);
    const tomorrow = dayIn(timezoneId, Date.now() + 24 * HOUR);
    assert.ok(date >= tomorrow && date <= dates.addDays(tomorrow, 1), `${date} is the first day with slots`);
    for (const _ of [1, 2]) {
      await heading(page, longDay(date));
      const expected = (await slotsOn(link, date, timezoneId)).map((start) => plain(timeIn(timezoneId, start)));
      assert.ok(expected.length > 0);
      assert.deepEqual(await shownTimes(page), expected);
      date = dates.addDays(date, 1);
      if (!await page.locator(`[data-date="${date}"]`).count()) await click(page, "Show next month");
      await page.locator(`[data-date="${date}"]`).click();
      await loaded(page);
    }
  }, { timezoneId, locale: "en-US", viewport: PHONE });
}

inBrowser("another zone on the booking page changes times and days, and keeps the slots", async (page) => {
  const link = await bookingLink();
  await using _server = await openLink(page, link);
  await times(page).first().waitFor();
  const date = await chosenDate(page), [first] = await slotsOn(link, date, "America/Los_Angeles");
  await page.getByLabel("Time zone").selectOption({ label: "Auckland" });
  const elsewhere = dayIn("Pacific/Auckland", first);
  assert.equal(elsewhere, dates.addDays(date, 1));
  await heading(page, longDay(elsewhere));
  await page.getByText(/free times?, shown in New Zealand Time\./).waitFor();
  const expected = await slotsOn(link, elsewhere, "Pacific/Auckland");
  assert.deepEqual(await shownTimes(page), expected.map((start) => plain(timeIn("Pacific/Auckland", start))));
  await times(page).first().click();
  const chosen = page.locator("#details .chosen");
  assert.match(plain(await chosen.textContent()), /\(New Zealand Time\)$/);
  await page.getByLabel("Time zone").selectOption("UTC");
  await page.locator("#details .chosen", { hasText: "(UTC)" }).waitFor();
  assert.ok(plain(await chosen.textContent()).startsWith(longDay(dayIn("UTC", expected[0]))), "on the same instant");
}, { timezoneId: "America/Los_Angeles", locale: "en-US", viewport: DESKTOP });

inBrowser("the booking page works by keyboard alone, from the month to the request", async (page) => {
  const link = await bookingLink(), address = newAddress();
  await using _server = await openLink(page, link);
  await times(page).first().waitFor();
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const onDay = (date: string) => page.locator(`[data-date="${date}"]:focus`).waitFor();
  const order: string[] = [];
  for (let i = 0; i < 4; i++) {
    await press("Tab");
    order.push(await focused(page));
  }
  let date = await chosenDate(page);
  assert.deepEqual(order, ["Time zone", "Show previous month", "Show next month", longDay(date)]);
  assert.equal(await page.locator("td button[tabindex='0']").count(), 1);

  for (const [key, days] of [["ArrowRight", 1], ["ArrowDown", 7], ["ArrowLeft", -1], ["ArrowUp", -7]] as const) {
    if (key === "ArrowUp") await press("ArrowDown");
    await press(key);
    date = dates.addDays(date, key === "ArrowUp" ? 0 : days);
    await onDay(date);
  }
  await press("PageDown");
  await page.locator(`[data-date^="${dates.addMonths(date.slice(0, 7), 1)}"]:focus`).waitFor();
  await press("PageUp");
  await page.locator(`[data-date^="${date.slice(0, 7)}"]:focus`).waitFor();
  date = (await page.locator("td button:focus").getAttribute("data-date"))!;
  await press("End"); // Saturday in this locale
  date = dates.addDays(date, 6 - dates.weekday(date));
  await onDay(date);
  await press("Home");
  date = (await page.locator("td button:focus").getAttribute("data-date"))!;
  assert.ok(dates.weekday(date) === 0 || date === dayIn(HOST_ZONE, Date.now()));
  await press("ArrowDown", "Enter");
  date = dates.addDays(date, 7);
  await onDay(date); // where the focus stays
  await heading(page, longDay(date));
  const [first, second] = await slotsOn(link, date, HOST_ZONE);
  await page.getByText("8 free times, shown in Eastern Time.").waitFor();
  await press("Tab");
  assert.equal(plain(await focused(page)), plain(timeIn(HOST_ZONE, first)));
  await press("Tab", "Space");
  await page.locator("#details-title:focus").waitFor();
  await press("Tab");
  assert.equal(await focused(page), "Change time");
  await press("Tab");
  assert.equal(await focused(page), "Name");
  await page.keyboard.type("Zoe");
  await press("Tab");
  await page.keyboard.type(address);
  await press("Tab");
  await page.keyboard.type("By keyboard");
  await press("Tab");
  assert.equal(await focused(page), "Send request");
  await press("Enter");
  await page.locator("#sent-title:focus").waitFor();
  await page.getByText(address, { exact: true }).waitFor();
  assert.equal(await page.title(), "Check your email · Guest interview · Night Trains");
  const [booking, ...others] = await bookingsOf(address);
  assert.deepEqual(
    [booking.start_time.toISOString(), booking.status, booking.notes, booking.guest_timezone, others.length],
    [new Date(second).toISOString(), "pending", "By keyboard", HOST_ZONE, 0],
  );
}, { timezoneId: HOST_ZONE, locale: "en-US", viewport: DESKTOP, colorScheme: "dark" });

inBrowser("a guest requests, moves and cancels a booking by the email's link", async (page) => {
  const link = await bookingLink(), address = newAddress();
  await using server = await openLink(page, link);
  await times(page).first().waitFor();
  await assertAccessible(page);
  await times(page).first().click();
  await assertAccessible(page);
  await fillDetails(page, address, "Platform nine");
  await click(page, "Send request");
  await heading(page, "Check your email");
  await assertAccessible(page);

  await page.goto(`${server.url}/book.html#token=${await tokenOf(address)}`);
  await heading(page, "Waiting for the team");
  assert.equal(page.url(), `${server.url}/book.html`, "the address bar has no token");
  assert.equal(await page.title(), "Your booking · Night Trains");
  await page.reload();
  await heading(page, "Waiting for the team");
  await assertAccessible(page);

  await click(page, "Change time");
  await page.locator("#day:focus").waitFor();
  await assertAccessible(page);
  const moved = page.locator("#times button").last(), time = plain(await moved.textContent());
  await moved.click();
  await page.getByRole("dialog", { name: "Move your booking to this time?" }).waitFor();
  await assertAccessible(page);
  await page.keyboard.press("Escape");
  await moved.click();
  await page.getByRole("dialog").getByRole("button", { name: "Change time" }).click();
  await page.getByText("Your booking has a new time.").waitFor();
  await page.locator("#booking-title:focus").waitFor();
  const [{ start_time }] = await bookingsOf(address);
  assert.equal(plain(timeIn("America/Los_Angeles", start_time)), time);

  await click(page, "Cancel booking");
  await page.getByRole("dialog", { name: "Cancel this booking?" }).waitFor();
  await assertAccessible(page);
  await click(page, "Keep booking");
  await click(page, "Cancel booking");
  await page.getByLabel("Message to the team").fill("My train is late");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel booking" }).click();
  await heading(page, "This booking is cancelled");
  await page.getByText("My train is late").waitFor();
  assert.equal(await page.getByRole("button").count(), 0);
  await assertAccessible(page);
  const [{ status }] = await bookingsOf(address);
  assert.equal(status, "cancelled");
  await page.getByRole("link", { name: "Request another time" }).click();
  await times(page).first().waitFor();
  await heading(page, "Guest interview");
}, { timezoneId: "America/Los_Angeles", locale: "en-US", viewport: PHONE });

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

inBrowser("the booking page names a rejected field, and says when requests are accepted again", async (page) => {
  const link = await bookingLink(), address = newAddress();
  await using _server = await openLink(page, link);
  await times(page).first().waitFor();
  await times(page).last().click();
  await fillDetails(page, "zoe");
  await page.evaluate(`document.getElementsByName("guestEmail")[0].type = "text"`); // a browser that doesn't check it
  await click(page, "Send request");
  await alert(page, "Email address: must be a valid email address");
  await page.locator("[name=guestEmail][aria-invalid=true]:focus").waitFor();
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
  ];
  const { podcast, slug } = await bookingLink({ questions }), address = newAddress();
  await using _server = await open(page, { search: `?${new URLSearchParams({ podcast, link: slug })}` });
  await times(page).first().waitFor();
  await times(page).first().click();
  await fillDetails(page, address, "Platform nine");
  const topic = page.getByLabel("What is it about?");
  await click(page, "Send request"); // the browser stops it
  await page.locator("[name='answers.main_topic']:invalid:focus").waitFor();
  await topic.fill(" ");
  await page.getByLabel("Which pronouns do you use? (optional)").fill("she");
  await click(page, "Send request");
  await page.getByRole("alert").getByText("What is it about?: is required", { exact: true }).waitFor();
  await page.locator("[name='answers.main_topic'][aria-invalid=true]:focus").waitFor();
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
    for (const slot of (await slotsOn(link, dates.addDays(date, 1), HOST_ZONE)).slice(0, 3)) {
      assert.equal((await request(link, slot, address)).status, 201);
    }
    await times(page).first().click();
    await fillDetails(page, address);
    await click(page, "Send request");
    await alert(page, "Too many requests for now. Please try again after");
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
  assert.ok(source.match(CONFIG)![0].includes(`url: "http://127.0.0.1:54321"`));
});
