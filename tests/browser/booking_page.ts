// Opens docs/examples/book.html for a test, on the running stack: visitors book with a host in New York.
import assert from "node:assert/strict";
import * as dates from "../../docs/examples/zoned_dates.js";
import { person, podcast, sendRequest, sql, stackInfo } from "../http/harness.ts";
import { emailsTo } from "../http/inbox.ts";
import { startHttpServer } from "../http_server.ts";
import { waitFor } from "../wait_for.ts";
import { configured, read } from "./example_page.ts";
import { assertAccessible as assertPageAccessible, type Page } from "./guest_page.ts";

export const source = await read("docs/examples/book.html");
const types = new Map([["html", "text/html"], ["css", "text/css"], ["js", "text/javascript"]]);
const files = new Map<string, string>();
for (const name of ["book.js", "book.css", "example.css", "zoned_dates.js"]) {
  files.set(`/${name}`, await read(`docs/examples/${name}`));
}

export const HOST_ZONE = "America/New_York", HOUR = 3_600_000;
export const PHONE = { width: 390, height: 844 }, DESKTOP = { width: 1280, height: 900 };

/** A booking link of the host: one hour, eight times a day from 9. No slot expires within half an hour. */
export async function bookingLink(changes: Record<string, unknown> = {}) {
  const minute = String((new Date().getMinutes() + 30) % 60).padStart(2, "0");
  const [startTime, endTime] = [`09:${minute}`, `17:${minute}`];
  const { client } = await person("owner"), show = await podcast("Night Trains");
  const { data } = await client.from("booking_links").insert({
    podcast_id: show.id,
    name: "Guest interview",
    description: "An hour about trains.\nBring a story.",
    timezone: HOST_ZONE,
    min_notice_hours: 24,
    availability_rules: [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, startTime, endTime })),
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
export async function open(page: Page, { config = {}, search = "" }: Options = {}) {
  const html = configured(source, { url: stackInfo.url, link: "", podcast: "", ...config });
  const server = startHttpServer((request) => {
    const { pathname } = new URL(request.url), text = files.get(pathname) ?? html;
    const type = types.get(pathname.split(".").at(-1)!) ?? "text/html";
    return new Response(text, { headers: { "content-type": `${type}; charset=utf-8` } });
  });
  await page.goto(`${server.url}/book.html${search}`);
  return server;
}

export const openLink = (page: Page, { id }: { id: string }, options: Options = {}) =>
  open(page, { search: `?link=${id}`, ...options });

/** The slots of the API that start on a date of the zone. */
export async function slotsOn(link: { id: string }, date: string, zone: string): Promise<string[]> {
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

const dayFormats = new Map<string, Intl.DateTimeFormat>();
export function dayIn(timeZone: string, instant: string | number | Date): string {
  if (!dayFormats.has(timeZone)) dayFormats.set(timeZone, new Intl.DateTimeFormat("sv", { timeZone }));
  return dayFormats.get(timeZone)!.format(new Date(instant));
}
export const timeIn = (timeZone: string, instant: string) =>
  new Date(instant).toLocaleTimeString("en-US", { timeZone, timeStyle: "short" });
export const longDay = (date: string) =>
  new Date(`${date}T00:00Z`).toLocaleDateString("en-US", { dateStyle: "full", timeZone: "UTC" });

export const times = (page: Page) => page.locator("#times button");
export const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
export const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
export const alert = (page: Page, text: string) => page.getByRole("alert").getByText(text).waitFor();
export const plain = (text: string | null) => text!.replace(/\s/g, " ");
export const shownTimes = async (page: Page) => (await times(page).allTextContents()).map(plain);
export const chosenDate = (page: Page) =>
  page.locator("[aria-pressed=true]").getAttribute("data-date") as Promise<string>;

export const newAddress = () => `zoe-${crypto.randomUUID()}@guests.test`;
export const bookingsOf = (address: string) =>
  sql`select id, status, start_time, notes, guest_timezone, guest_locale, answers, guest_verified_at from public.bookings
    where guest_email = ${address} order by created_at`;

export async function fillDetails(page: Page, address: string, note = "") {
  await page.getByLabel("Name").fill("Zoe");
  await page.getByLabel("Email address").fill(address);
  await page.getByLabel("Note (optional)").fill(note);
}

/** Requests a slot without the page. */
export const request = (link: { id: string }, startTime: string, guestEmail = newAddress()) =>
  sendRequest({
    method: "POST",
    path: "/api/bookings",
    json: { bookingLinkId: link.id, startTime, guestName: "Ada", guestEmail },
  });

/** The token in the newest email to the address. */
export async function tokenOf(address: string, count = 1): Promise<string> {
  await sql`select private.enqueue_due_deliveries()`;
  await waitFor("the email", async () => (await emailsTo(address)).length >= count);
  return /#token=(\S+)/.exec((await emailsTo(address)).at(-1)!.Text)![1];
}

/** Accessible, and with targets of 44 pixels. */
export async function assertAccessible(page: Page) {
  await assertPageAccessible(page);
  const small =
    `[...document.querySelectorAll("button, select, input, textarea")].filter((each) => each.checkVisibility())
    .filter((each) => each.getBoundingClientRect().height < 44 || each.getBoundingClientRect().width < 44)
    .map((each) => each.outerHTML)`;
  assert.deepEqual(await page.evaluate(small), []);
}
