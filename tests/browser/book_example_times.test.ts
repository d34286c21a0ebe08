// Months, days and times of docs/examples/book.html in three time zones, and by keyboard alone.
import assert from "node:assert/strict";
import * as dates from "../../docs/examples/zoned_dates.js";
import {
  bookingLink,
  bookingsOf,
  chosenDate,
  click,
  dayIn,
  DESKTOP,
  heading,
  HOST_ZONE,
  HOUR,
  longDay,
  newAddress,
  openLink,
  PHONE,
  plain,
  shownTimes,
  slotsOn,
  timeIn,
  times,
} from "./booking_page.ts";
import { inBrowser, type Page } from "./guest_page.ts";

const ZONES = ["Pacific/Auckland", "Asia/Kolkata", "America/Los_Angeles"];

const loaded = (page: Page) => page.locator("main[aria-busy=false]").waitFor();
/** The focused element: its label or text. */
const focused = (page: Page) =>
  page.evaluate(`{
    const { activeElement: { ariaLabel, labels, textContent } } = document;
    (ariaLabel ?? labels?.[0]?.firstChild.data ?? textContent).trim();
  }`) as Promise<string>;

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
    await page.getByText("60 minutes", { exact: true }).waitFor();
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

inBrowser("the booking page opens at special hours and offers no days off", async (page) => {
  const today = dayIn(HOST_ZONE, Date.now()), special = dates.addDays(today, 5);
  const link = await bookingLink({
    date_overrides: [
      ...[0, 1, 2, 3, 4, 6].map((days) => ({ date: dates.addDays(today, days), windows: [] })),
      { date: special, windows: [{ startTime: "06:00", endTime: "08:00" }] },
    ],
  });
  await using _server = await openLink(page, link);
  await heading(page, longDay(special));
  assert.deepEqual(await shownTimes(page), ["6:00 AM", "7:00 AM"]);
  for (let days = 2; days < 8; days++) {
    const date = dates.addDays(today, days);
    if (date.slice(0, 7) !== special.slice(0, 7)) continue; // of another page
    assert.equal(await page.locator(`[data-date="${date}"]`).count(), days === 5 || days === 7 ? 1 : 0, date);
  }
}, { timezoneId: HOST_ZONE, locale: "en-US", viewport: PHONE });

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
    if (key === "ArrowUp") {
      await press("ArrowDown");
      await onDay(dates.addDays(date, 7)); // after its month is read
    }
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

inBrowser("the booking page looks for free times in steps of 14 days, and says when there are none", async (page) => {
  const later = await bookingLink({ min_notice_hours: 18 * 24 }), never = await bookingLink({ availability_rules: [] });
  const today = dayIn(HOST_ZONE, Date.now()), last = dates.addDays(today, 13);
  {
    await using _server = await openLink(page, later);
    await page.getByText(`No free times until ${longDay(last)}.`).waitFor();
    await heading(page, longDay(last));
    await click(page, "Find next free day");
    await times(page).first().waitFor();
    assert.ok([18, 19].map((days) => dates.addDays(today, days)).includes(await chosenDate(page)));
  }
  await using _server = await openLink(page, never);
  await page.getByText(`No free times from ${longDay(today)} on. Please ask the podcast's team.`).waitFor();
  assert.equal(await page.getByRole("button", { name: "Find next free day" }).count(), 0);
}, { timezoneId: HOST_ZONE, locale: "en-US", viewport: PHONE });
