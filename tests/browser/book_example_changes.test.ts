// A booking of docs/examples/book.html by the link of the guest's email: read, moved and cancelled.
import assert from "node:assert/strict";
import { sendRequest, sql } from "../http/harness.ts";
import {
  assertAccessible,
  bookingLink,
  bookingsOf,
  click,
  dayIn,
  fillDetails,
  heading,
  HOUR,
  newAddress,
  open,
  openLink,
  PHONE,
  plain,
  request,
  slotsOn,
  timeIn,
  times,
  tokenOf,
} from "./booking_page.ts";
import { inBrowser } from "./guest_page.ts";

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
  await page.getByText("Guest interview", { exact: true }).waitFor();
  await page.reload();
  await heading(page, "Waiting for the team");
  await assertAccessible(page);
  assert.equal((await bookingsOf(address))[0].guest_verified_at, null, "opening the page verifies nothing");
  await click(page, "Confirm my email address");
  await page.getByText("Your email address is confirmed.").waitFor();
  await page.locator("#booking-title:focus").waitFor();
  assert.equal(await page.getByText("Confirm my email address").isVisible(), false);
  assert.ok((await bookingsOf(address))[0].guest_verified_at);
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
  await heading(page, "This booking is canceled");
  await page.getByText("My train is late").waitFor();
  assert.equal(await page.getByRole("button").count(), 0);
  await assertAccessible(page);
  const [{ status }] = await bookingsOf(address);
  assert.equal(status, "cancelled");
  await page.getByRole("link", { name: "Request another time" }).click();
  await times(page).first().waitFor();
  await heading(page, "Guest interview");
}, { timezoneId: "America/Los_Angeles", locale: "en-US", viewport: PHONE });

inBrowser("a guest books without the team's answer, and then sees the link to the session", async (page) => {
  const room = "https://meet.example/night-trains", address = newAddress();
  const link = await bookingLink({ requires_confirmation: false, location: { type: "link", value: room } });
  await using server = await openLink(page, link);
  await page.getByText("60 minutes · Online").waitFor();
  await times(page).first().click();
  await fillDetails(page, address);
  assert.equal(await page.getByRole("button", { name: "Send request" }).count(), 0);
  await click(page, "Book this time");
  await heading(page, "Check your email");
  await page.getByText("We hold this time for you, and sent an email to").waitFor();
  assert.equal(await page.getByText("The team confirms the time next").isVisible(), false);
  await assertAccessible(page);

  await page.goto(`${server.url}/book.html#token=${await tokenOf(address)}`);
  await heading(page, "Confirm your email address");
  await page.getByText("We hold this time for you until").waitFor();
  assert.equal(await page.getByText("Where:").count(), 0, "the place comes with the confirmation");
  await assertAccessible(page);
  await click(page, "Confirm my email address");
  await heading(page, "Your booking is confirmed");
  assert.equal(await page.getByRole("link", { name: room }).getAttribute("href"), room);
  await assertAccessible(page);
  assert.equal((await bookingsOf(address))[0].status, "confirmed");
  await sql`update public.bookings set location = '{"type": "in_person", "value": "Studio 1"}'
    where guest_email = ${address}`;
  await page.reload();
  await page.getByText("Where: Studio 1", { exact: true }).waitFor();
  assert.equal(await page.getByRole("link").count(), 0);
}, { timezoneId: "America/Los_Angeles", locale: "en-US", viewport: PHONE });

inBrowser(
  "a booking that a host confirmed before its guest does not ask the guest to confirm the time",
  async (page) => {
    const link = await bookingLink({ requires_confirmation: false }), address = newAddress();
    const [start] = await slotsOn(link, dayIn("UTC", Date.now() + 72 * HOUR), "UTC");
    const { id } = (await request(link, start, address)).body.data.booking;
    const token = await tokenOf(address);
    const confirmed = await sendRequest({ method: "POST", path: `/api/bookings/${id}/confirm`, as: "owner", json: {} });
    assert.equal(confirmed.status, 200);
    await using _server = await open(page, { search: `#token=${token}` });
    await heading(page, "Your booking is confirmed");
    await page.getByText("so that the team knows that the request is yours").waitFor();
    assert.equal(await page.getByText("and the time is yours").isVisible(), false);
  },
);
