// The booking page of book.html: month, day, request, and changes by the token of an email.
//
// The API's dates are those of the booking link's zone; the visitor's are those of the chosen zone. So the page reads the
// link's dates that overlap a date of the visitor, and shows the slots that start on it.
import { addDays, addMonths, dateOf, datesBetween, datesOfMonth, overlappingDates, weekday } from "./zoned_dates.js";

const api = `${config.url}/functions/v1/api`;
const MAX_MONTHS = 12; // after this one
const MAX_SEARCHED_DAYS = 14; // for the next free day
const FRESH_MS = 60_000; // how long the slots of a day are shown without asking again
const VIEWS = ["picker", "details", "sent", "booking"];

const byId = (id) => document.getElementById(id);
const find = (selector) => document.querySelector(selector);
const details = byId("details"), dialog = find("dialog"), days = find("tbody");

/** Dates follow the language of the page; hours and the first day of the week those of the browser. */
const { lang } = document.documentElement;
const browser = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions();
const { hourCycle } = browser, locale = browser.locale.split("-")[0] === lang ? browser.locale : lang;
const firstWeekday = new Intl.Locale(browser.locale).getWeekInfo?.().firstDay ?? 1; // 1 (Monday) to 7

/** Of the visitor. Booking links and emails have their own. */
let timeZone = browser.timeZone;

/** The parameters that name the booking link: those of the page's address, or else of config. */
let linkQuery;
/** The booking link, as soon as the API has told it, with its podcast. */
let link;
/** The booking of the email's token, if the page was opened with one. */
let accessToken, booking;
/** What is shown and chosen: `2026-12`, `2026-12-01` and a slot of the API. */
let month, date, slot;
let shownSlots = [];

// Texts

const inZone = (options) => new Intl.DateTimeFormat(locale, { timeZone, hourCycle, ...options });
const ofDate = (date, options) =>
  new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options }).format(Date.parse(`${date}T12:00Z`));
const longDate = (date) => ofDate(date, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const minutes = (count) =>
  new Intl.NumberFormat(locale, { style: "unit", unit: "minute", unitDisplay: "long" }).format(count);
/** `New Zealand Time`; Intl has no such name for UTC. */
const zoneTime = () =>
  timeZone === "UTC"
    ? "UTC"
    : inZone({ timeZoneName: "longGeneric" }).formatToParts().find(({ type }) => type === "timeZoneName").value;

const describeSlot = ({ start, end }) =>
  inZone({ weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "numeric", minute: "2-digit" })
    .formatRange(Date.parse(start), Date.parse(end)) + ` (${zoneTime()})`;

/** Guests learn where exactly once the booking is confirmed. */
const PLACES = { link: "Online", phone: "By phone", in_person: "In person" };

/** Live regions announce a text that changes. */
function setText(id, text = "") {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

const shortTime = (instant) => inZone({ dateStyle: "medium", timeStyle: "short" }).format(Date.parse(instant));

function explain({ status, message, details, rate_limit_reset_at }) {
  if (!status) return "We can't reach the server. Please check your connection and try again.";
  if (status === 429 && rate_limit_reset_at) {
    return `Too many requests for now. Please try again after ${shortTime(rate_limit_reset_at)}.`;
  }
  if (status >= 500 || !message) return "Something went wrong on our side. Please try again in a moment.";
  return details ? `${message}: ${details}` : message;
}

// Requests

/** Calls the API. Errors have the members of its response, or only its status; without one, no response came. */
async function call(method, path, body, headers) {
  let response;
  try {
    response = await fetch(api + path, {
      method,
      headers: { ...body && { "content-type": "application/json" }, ...headers },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const result = await response.json();
    if (response.ok) return result.data;
    throw Object.assign(new Error(result.error), result, { status: response.status });
  } catch (error) {
    if (error.status) throw error;
    throw Object.assign(new Error(), { status: response && !response.ok ? response.status : undefined });
  }
}

let months = new Map(), linkDates = new Map();

async function readLink() {
  const { bookingLink, podcast } = await call("GET", `/availability/link?${new URLSearchParams(linkQuery)}`);
  showLink(bookingLink, podcast);
  showQuestions();
}

/** The link's dates of a month that have rules or special hours. */
function readMonth(month) {
  if (!months.has(month)) {
    const [year, number] = month.split("-").map(Number);
    const query = new URLSearchParams({ bookingLinkId: link.id, year, month: number });
    const dates = call("GET", `/availability/month?${query}`)
      .then(({ availableDates }) => new Set(availableDates.map(({ date }) => date)));
    months.set(month, dates);
    dates.catch(() => months.delete(month));
  }
  return months.get(month);
}

/** The slots of a date of the link, or the API's message that it has none. */
function readLinkDate(date) {
  const known = linkDates.get(date);
  if (known && Date.now() - known.readAt < FRESH_MS) return known.result;
  const result = call("GET", `/availability?${new URLSearchParams({ bookingLinkId: link.id, date })}`);
  linkDates.set(date, { readAt: Date.now(), result });
  result.catch(() => linkDates.delete(date));
  return result;
}

const today = () => dateOf(Date.now(), timeZone);

/** The dates of the link that overlap a date of the visitor and have rules or special hours. */
async function openLinkDates(date) {
  const dates = overlappingDates(date, timeZone, link.timezone);
  const isOpen = await Promise.all(dates.map(async (each) => (await readMonth(each.slice(0, 7))).has(each)));
  return dates.filter((_, i) => isOpen[i]);
}

/** The visitor's dates of a month, from today on, that may have slots. */
async function readBookableDates(month) {
  if (!link.timezone) await readLink();
  const dates = datesOfMonth(month).filter((each) => each >= today());
  const open = await Promise.all(dates.map(openLinkDates));
  return dates.filter((_, i) => open[i].length > 0);
}

/** The slots that start on a date of the visitor, or why there are none. */
async function readSlots(date) {
  const results = await Promise.all((await openLinkDates(date)).map(readLinkDate));
  const slots = results.flatMap(({ slots }) => slots)
    .filter(({ start, available }) => available && dateOf(Date.parse(start), timeZone) === date);
  return { slots, message: results.findLast(({ message }) => message)?.message ?? "No free times on this day." };
}

/** The first date with a slot from this one on; or the last of MAX_SEARCHED_DAYS that may have one; or no date. */
async function findFreeDate(from) {
  let count = 0;
  for (let month = from.slice(0, 7); month <= lastMonth(); month = addMonths(month, 1)) {
    for (const date of (await readBookableDates(month)).filter((each) => each >= from)) {
      const isFree = (await readSlots(date)).slots.length > 0;
      if (isFree || ++count === MAX_SEARCHED_DAYS) return { date, isFree };
    }
  }
  return {};
}

const firstMonth = () => today().slice(0, 7);
const lastMonth = () => addMonths(firstMonth(), MAX_MONTHS);

// Views

function show(view) {
  for (const id of VIEWS) byId(id).hidden = id !== view;
  byId("zone").hidden = !view;
  byId("again").hidden = true;
  setText("page-status");
  setText("page-problem");
  showTitle();
}

function showLink(bookingLink, podcast) {
  link = { ...link, ...bookingLink, ...podcast && { podcast } };
  setText("podcast", link.podcast?.title);
  const facts = [link.duration_minutes && minutes(link.duration_minutes), PLACES[link.location?.type]];
  setText("session", accessToken ? booking?.name : facts.filter(Boolean).join(" · "));
  setText("description", accessToken ? "" : link.description);
  if (!accessToken) showSteps(link.requires_confirmation);
  showTitle();
}

/** The texts of links and bookings that a host confirms, or that the guest's address confirms. */
function showSteps(requiresConfirmation = true) {
  const step = requiresConfirmation ? "team" : "address";
  for (const each of document.querySelectorAll("[data-confirmed-by]")) each.hidden = each.dataset.confirmedBy !== step;
  setText("send", requiresConfirmation ? "Send request" : "Book this time");
}

function showTitle() {
  const heading = accessToken ? "Your booking" : link.name ?? "Book a session";
  find("h1").textContent = heading;
  const view = VIEWS.find((id) => !byId(id).hidden);
  const step = { details: "Your details", sent: byId("sent-title").textContent }[view];
  document.title = [step, heading, link.podcast?.title].filter(Boolean).join(" · ");
}

/** Loads into the page. After an outage, a button tries again. Only the last load shows its result. */
let loads = 0;
async function load(text, work, problemId = "page-problem") {
  const number = ++loads, isCurrent = () => number === loads;
  const statusId = problemId === "picker-problem" ? "times-status" : "page-status";
  const isRetry = byId("again").contains(document.activeElement);
  setText(problemId);
  setText(statusId, text);
  byId("again").hidden = true;
  find("main").ariaBusy = "true";
  try {
    await work(isCurrent);
    if (isCurrent() && byId(statusId).textContent === text) setText(statusId);
  } catch (error) {
    if (!isCurrent()) return;
    setText(statusId);
    setText(problemId, problemFor(error));
    byId(problemId).after(byId("again"));
    byId("again").hidden = error.status >= 400 && error.status < 500;
    byId("again").onclick = () => load(text, work, problemId);
  } finally {
    if (isCurrent()) find("main").ariaBusy = "false";
    if (isRetry && byId("again").hidden) find("h1").focus(); // the button that had the focus is hidden
  }
}

function problemFor(error) {
  if (error.status === 401 || (accessToken && !booking && [400, 404].includes(error.status))) {
    return "This link no longer works. Please open the one in the newest email about your booking.";
  }
  if (error.status === 404 || (error.status === 400 && !link.timezone)) {
    return "This booking page no longer exists. Please ask the podcast for a new link.";
  }
  return explain(error);
}

// Month

/** A button for each bookable date; one of them is in the tab order. */
async function showMonth(newMonth, isCurrent = () => true) {
  const bookable = await readBookableDates(newMonth);
  if (!isCurrent()) return;
  month = newMonth;
  setText("month", ofDate(`${month}-01`, { month: "long", year: "numeric" }));
  byId("previous").ariaDisabled = String(month <= firstMonth());
  byId("next").ariaDisabled = String(month >= lastMonth());
  const dates = datesOfMonth(month), first = startOfWeek(dates[0]), last = addDays(startOfWeek(dates.at(-1)), 6);
  find("thead tr").replaceChildren(
    ...datesBetween(first, addDays(first, 6)).map((each) => {
      const head = Object.assign(document.createElement("th"), {
        scope: "col",
        abbr: ofDate(each, { weekday: "long" }),
      });
      head.textContent = ofDate(each, { weekday: "short" });
      return head;
    }),
  );
  const cells = datesBetween(first, last).map((each) => {
    const cell = document.createElement("td");
    cell.role = "gridcell";
    if (bookable.includes(each)) cell.append(dayButton(each));
    else if (each.startsWith(month) && each >= today()) cell.textContent = Number(each.slice(8));
    return cell;
  });
  const rows = [];
  while (cells.length) {
    const row = document.createElement("tr");
    row.append(...cells.splice(0, 7));
    if (row.textContent) rows.push(row); // not weeks of the past
  }
  days.replaceChildren(...rows);
  markDay();
  if (bookable.length === 0) setText("times-status", "No days to book in this month.");
}

function dayButton(date) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", textContent: Number(date.slice(8)), ariaLabel: longDate(date) });
  button.dataset.date = date;
  if (date === today()) button.ariaCurrent = "date";
  return button;
}

const dayButtons = () => [...days.querySelectorAll("button")];

/** Marks the chosen day. The tab order has it, or the day that the arrow keys reached, or the first one. */
function markDay(reached = date) {
  const buttons = dayButtons(), tabbable = buttons.find((each) => each.dataset.date === reached) ?? buttons[0];
  for (const button of buttons) {
    const isChosen = String(button.dataset.date === date);
    button.ariaPressed = button.parentElement.ariaSelected = isChosen;
    button.tabIndex = button === tabbable ? 0 : -1;
  }
}

const startOfWeek = (date) => addDays(date, -((weekday(date) - firstWeekday + 7) % 7));

/** The date that a key leads to, and the direction in which to look for a bookable one. */
const KEYS = {
  ArrowLeft: (from) => moveTo(addDays(from, -1), -1),
  ArrowRight: (from) => moveTo(addDays(from, 1), 1),
  ArrowUp: (from) => moveTo(addDays(from, -7), -1),
  ArrowDown: (from) => moveTo(addDays(from, 7), 1),
  Home: (from) => moveTo(startOfWeek(from), 1),
  End: (from) => moveTo(addDays(startOfWeek(from), 6), -1),
  PageUp: (from) => movePage(from, -1),
  PageDown: (from) => movePage(from, 1),
};

/** Moves the focus to the bookable date nearest to the target in this direction, over the end of the month if need be. */
async function moveTo(target, direction) {
  if (direction > 0 && target < today()) target = today(); // the week began before
  for (let other = target.slice(0, 7); isOffered(other); other = addMonths(other, direction)) {
    const bookable = await readBookableDates(other);
    const found = direction > 0 ? bookable.find((each) => each >= target) : bookable.findLast((each) => each <= target);
    if (!found) continue;
    if (other !== month) await showMonth(other);
    return focusDay(found);
  }
}

/** Moves the focus to the same day of another month, or a bookable one near it. */
async function movePage(from, months) {
  const other = addMonths(month, months);
  if (!isOffered(other)) return;
  await showMonth(other);
  const dates = dayButtons().map((each) => each.dataset.date);
  const found = dates.find((each) => each.slice(8) >= from.slice(8)) ?? dates.at(-1);
  if (found) focusDay(found);
  else byId(months > 0 ? "next" : "previous").focus();
}

const isOffered = (month) => month >= firstMonth() && month <= lastMonth();

function focusDay(date) {
  markDay(date);
  dayButtons().find((each) => each.dataset.date === date).focus();
}

// Day

/** Chooses a day and shows its slots. */
async function showDay(newDate, isCurrent = () => true) {
  date = newDate;
  markDay();
  setText("day", longDate(date));
  shownSlots = [];
  byId("times").replaceChildren();
  byId("find").hidden = true;
  const { slots, message } = await readSlots(date);
  if (!isCurrent()) return;
  shownSlots = slots;
  const labels = slots.map(({ start }) => inZone({ timeStyle: "short" }).format(Date.parse(start)));
  byId("times").replaceChildren(...slots.map((slot, i) => {
    const item = document.createElement("li"), button = document.createElement("button");
    const isTwice = labels.filter((label) => label === labels[i]).length > 1; // clocks went back
    const options = { hour: "numeric", minute: "2-digit", timeZoneName: "short" };
    button.type = "button";
    button.textContent = isTwice ? inZone(options).format(Date.parse(slot.start)) : labels[i];
    button.onclick = () => choose(slot);
    item.append(button);
    return item;
  }));
  const count = slots.length === 1 ? "1 free time" : `${slots.length} free times`;
  setText("times-status", slots.length ? `${count}, shown in ${zoneTime()}.` : message);
  byId("find").hidden = slots.length > 0;
}

/** Shows the day of a date, and its month if another one is shown. */
const openDay = (date) =>
  load("Loading times …", async (isCurrent) => {
    if (date.slice(0, 7) !== month) await showMonth(date.slice(0, 7), isCurrent);
    if (isCurrent()) await showDay(date, isCurrent);
  }, "picker-problem");

/** Shows the next free day from a date on, or says until when there is none; the button looks further. */
const openFreeDay = (from, problemId) =>
  load("Looking for free times …", async (isCurrent) => {
    const { date: found, isFree } = await findFreeDate(from);
    if (!isCurrent()) return;
    const shown = found ?? from, isFirst = byId("picker").hidden;
    if (isFirst) show("picker");
    await showMonth(shown.slice(0, 7), isCurrent);
    if (!isCurrent()) return;
    await showDay(shown, isCurrent);
    if (!isFirst) byId("day").focus();
    if (isFree) return;
    const range = found ? `until ${longDate(found)}.` : `from ${longDate(from)} on. Please ask the podcast's team.`;
    setText("times-status", `No free times ${range}`);
    byId("find").hidden = !found;
  }, problemId);

/** Repeats the month and the day in another zone: the day on which the times shown so far begin. */
function changeZone(zone) {
  timeZone = zone;
  showClock();
  showChosen();
  if (!date) return;
  const [first] = shownSlots;
  if (first) date = dateOf(Date.parse(first.start), timeZone);
  else if (date < today()) date = today();
  month = undefined; // its days are other ones
  return openDay(date);
}

// Request

/** The time that the visitor chose, or that of the booking, in the chosen zone. */
function showChosen() {
  const time = slot ?? booking;
  if (!time) return;
  for (const each of document.querySelectorAll(".chosen")) each.textContent = describeSlot(time);
}

function choose(chosen) {
  slot = chosen;
  showChosen();
  if (accessToken) return move();
  show("details");
  byId("details-title").focus();
}

/** Back to the times, with what was typed kept in the form. */
async function backToTimes(problem) {
  show("picker");
  slot = undefined;
  if (problem) linkDates = new Map(); // another visitor was faster
  await openDay(date);
  setText("picker-problem", problem);
  byId("day").focus();
}

/**
 * The key under which the API knows a request. The same form, sent again after a lost response, is the same request;
 * any other response ends it.
 */
let attempt = {};

async function send() {
  if (details.ariaBusy === "true") return;
  const form = new FormData(details), { guestName, guestEmail, notes } = Object.fromEntries(form);
  const answers = link.questions.map(({ id }) => [id, form.get(`answers.${id}`)]);
  const body = {
    bookingLinkId: link.id,
    startTime: slot.start,
    guestName,
    guestEmail,
    guestTimezone: timeZone,
    locale: lang,
    ...notes.trim() && { notes },
    answers: Object.fromEntries(answers),
  };
  const text = JSON.stringify(body);
  if (attempt.text !== text) attempt = { text, key: crypto.randomUUID() };
  details.ariaBusy = "true";
  setText("details-problem");
  markField();
  try {
    const { email } = await call("POST", "/bookings", body, { "idempotency-key": attempt.key });
    setText("sent-to", guestEmail);
    setText("sent-later", email.status === "waiting" ? describeWait(email) : "");
    byId("sent-email").hidden = email.status === "waiting";
    setText("sent-title", email.status === "waiting" ? "Request sent" : "Check your email");
    show("sent");
    byId("sent-title").focus();
  } catch (error) {
    if (error.status < 500) attempt = {};
    if (error.code === "SLOT_UNAVAILABLE") await backToTimes(TAKEN);
    else showFormProblem(error);
  } finally {
    details.ariaBusy = "false";
  }
}

/** Strangers have caused too many emails, so that the API sends the link later, or only when a host answers. */
function describeWait({ dueAt }) {
  const start = link.requires_confirmation ? "We sent your request to the team." : "We hold this time for you.";
  const end = dueAt
    ? `The link to your booking follows by email after ${shortTime(dueAt)}.`
    : "We can't email you a link to it today.";
  return `${start} ${end}`;
}

const TAKEN = "Someone was faster: this time is no longer free. Please choose another one.";

/** Names the field that the API rejected, below it, and takes the focus to it. */
function showFormProblem(error) {
  const [, name = "", problem] = /^([\w.-]+):? (.*)/s.exec(error.details ?? error.message) ?? [];
  const ownName = name.replace(/_(\w)/g, (_, char) => char.toUpperCase()); // guest_email is guestEmail here
  const { elements } = details;
  const field = error.status === 400 && (elements.namedItem(name) ?? elements.namedItem(ownName));
  if (!field) return setText("details-problem", explain(error));
  markField(field);
  const label = labelOf(field); // the API repeats that of an unanswered question
  setText("details-problem", `${label}: ${problem.replace(`: ${label}`, "")}`);
  field.focus();
}

const labelOf = (field) => field.labels[0].firstChild.data.trim();

function markField(field) {
  for (const each of details.querySelectorAll("[aria-invalid]")) {
    each.removeAttribute("aria-invalid");
    each.removeAttribute("aria-describedby");
  }
  (field?.labels[0] ?? byId("consent").parentElement).after(byId("details-problem"));
  if (!field) return;
  field.ariaInvalid = "true";
  field.setAttribute("aria-describedby", "details-problem");
}

/** The names keep the ids of questions apart from the form's own fields. */
function showQuestions() {
  markField(); // the message may be among them
  byId("questions").replaceChildren(...link.questions.map(({ id, label, isRequired }) => {
    const field = Object.assign(document.createElement("label"), { dir: "auto" });
    const input = document.createElement("textarea");
    Object.assign(input, {
      name: `answers.${id}`,
      required: Boolean(isRequired),
      rows: 2,
      maxLength: 2000,
      dir: "auto",
    });
    field.append(isRequired ? label : `${label} (optional)`, input);
    return field;
  }));
}

// Booking of an email

/** Heading and text of each state. */
const STATES = {
  pending: ["Waiting for the team", "The team hasn't confirmed this time yet. You'll get an email when it does."],
  confirmed: ["Your booking is confirmed", "We look forward to it."],
  declined: ["The team declined this time", "You're welcome to request another one."],
  cancelled: ["This booking is canceled", "You're welcome to book again."],
};

/** What a booking says that its state alone does not. */
function describeState({ status, cancelledBy, requiresConfirmation, expiresAt }) {
  const [title, text] = STATES[status];
  if (cancelledBy === "expiry") {
    const reason = requiresConfirmation ? "The team didn't answer in time." : "Your address wasn't confirmed in time.";
    return [title, `${reason} You're welcome to try another time.`];
  }
  if (status !== "pending" || requiresConfirmation) return [title, text];
  return ["Confirm your email address", `We hold this time for you until ${shortTime(expiresAt)}.`];
}

/** Only a link has a URL that the browser may open. */
function showPlace(location) {
  const { type, value } = location ?? {};
  const place = type === "link"
    ? Object.assign(document.createElement("a"), { href: value, textContent: value })
    : value;
  byId("booking-place").replaceChildren(...value ? ["Where: ", place] : []);
}

const byToken = (path, more) => call("POST", `/bookings/guest${path}`, { accessToken, ...more });

function showBooking(data) {
  booking = data.booking;
  slot = undefined;
  showLink(data.link ?? { id: undefined }, data.podcast); // null: the link was deleted or is not active
  showSteps(booking.requiresConfirmation || booking.status !== "pending"); // a host may confirm before the guest does
  const [title, text] = describeState(booking);
  setText("booking-title", title);
  setText("booking-status", text);
  showPlace(booking.location);
  setText("booking-message", booking.statusMessage && `Message:\n${booking.statusMessage}`);
  const isOpen = ["pending", "confirmed"].includes(booking.status) && Date.parse(booking.start) > Date.now();
  byId("move").hidden = !(isOpen && link.id);
  byId("cancel").hidden = !isOpen;
  byId("verification").hidden = !isOpen || Boolean(booking.guestVerifiedAt);
  byId("another").hidden = isOpen || !link.id;
  byId("another").href = `?${new URLSearchParams({ link: link.id })}`;
  show("booking");
  showChosen();
}

async function openBooking() {
  await load("Opening your booking …", async (isCurrent) => {
    const data = await byToken("");
    if (isCurrent()) showBooking(data);
  });
}

/** Asks in a dialog; returns the message, or undefined if the visitor keeps the booking as it is. */
function ask(title, yes, no, hasMessage) {
  setText("dialog-title", title);
  const [confirm, keep] = dialog.querySelectorAll("button");
  [confirm.textContent, keep.textContent] = [yes, no];
  byId("dialog-message").hidden = !hasMessage;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === "yes" ? find("dialog textarea").value.trim() : undefined);
  });
}

async function cancel() {
  const message = await ask("Cancel this booking?", "Cancel booking", "Keep booking", true);
  if (message === undefined) return;
  await change("/cancel", message ? { message } : {}, "Your booking is canceled. We'll tell the team.");
}

async function move() {
  const answer = await ask("Move your booking to this time?", "Change time", "Keep current time", false);
  if (answer === undefined) {
    slot = undefined;
    return showChosen();
  }
  await change("/reschedule", { startTime: slot.start }, "Your booking has a new time. We'll tell the team.");
}

/** By a button: programs that scan emails open the page, and must not confirm an address that somebody else typed. */
const verify = () => change("/verify", {}, "Thank you. Your email address is confirmed.");

/** Changes the booking and shows it as it is now. */
async function change(path, fields, text) {
  const problemId = byId("picker").hidden ? "booking-problem" : "picker-problem";
  setText(problemId);
  find("main").ariaBusy = "true";
  try {
    showBooking(await byToken(path, fields));
    setText("page-status", text);
    byId("booking-title").focus();
  } catch (error) {
    if (error.code === "SLOT_UNAVAILABLE") return await backToTimes(TAKEN);
    if (error.status === 409) await openBooking(); // the team changed it meanwhile
    setText(error.status === 409 ? "booking-problem" : problemId, explain(error));
  } finally {
    find("main").ariaBusy = "false";
  }
}

async function chooseOtherTime() {
  linkDates = new Map();
  await openFreeDay(today(), "booking-problem");
  if (byId("picker").hidden) return;
  byId("keep").hidden = false;
  setText("page-status", `Your booking is on ${describeSlot(booking)}. Please choose its new time.`);
  byId("day").focus();
}

// Zone

/** Cities by the names that browsers keep for their zones. */
const RENAMED = {
  Calcutta: "Kolkata",
  Faeroe: "Faroe",
  Godthab: "Nuuk",
  Katmandu: "Kathmandu",
  Kiev: "Kyiv",
  Rangoon: "Yangon",
  Saigon: "Ho Chi Minh",
};

function showZones() {
  const own = timeZone, names = new Set(Intl.supportedValuesOf("timeZone")).add("UTC").add(own);
  const city = (zone) => {
    const name = zone.slice(zone.indexOf("/") + 1);
    return RENAMED[name] ?? name.replaceAll("_", " ").replaceAll("/", ", ");
  };
  const group = ([label, zones]) => {
    const group = Object.assign(document.createElement("optgroup"), { label });
    const options = zones.map((zone) => new Option(city(zone), zone)); // in the order that typing a name finds
    group.append(...options.sort((one, other) => one.text.localeCompare(other.text)));
    return group;
  };
  const regions = Map.groupBy([...names].sort(), (zone) => zone.includes("/") ? zone.split("/")[0] : "Other");
  byId("time-zone").replaceChildren(...[...regions].map(group));
  byId("time-zone").value = own;
  showClock();
}

function showClock() {
  const time = inZone({ hour: "numeric", minute: "2-digit", timeZoneName: "short" }).format();
  byId("zone-clock").textContent = `It is ${time} there now.`;
}

// Start

async function start() {
  const address = new URL(location), token = new URLSearchParams(address.hash.slice(1)).get("token");
  if (token) { // out of the address bar; a reload finds it in the entry of the history
    address.hash = "";
    history.replaceState({ accessToken: token }, "", address);
  }
  accessToken = history.state?.accessToken;
  const named = address.searchParams.get("link") ? Object.fromEntries(address.searchParams) : config;
  linkQuery = named.podcast ? { podcast: named.podcast, link: named.link } : { bookingLinkId: named.link };
  link = {};
  [booking, slot, date, month] = [];
  [months, linkDates] = [new Map(), new Map()];
  byId("keep").hidden = true;
  showLink();
  show();
  if (accessToken) await openBooking();
  else if (named.link) await openFreeDay(today(), "page-problem");
  else setText("page-problem", "This link is incomplete. Please copy all of it.");
}

days.addEventListener("click", ({ target, detail }) => {
  const chosen = target.closest("button")?.dataset.date;
  if (!chosen) return;
  const loaded = openDay(chosen);
  if (detail && matchMedia("(max-width: 46rem)").matches) loaded.then(scrollToTimes); // a tap, not a key
});

function scrollToTimes() {
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  byId("day").scrollIntoView({ behavior: isCalm ? "auto" : "smooth" });
}

days.addEventListener("keydown", (event) => {
  const from = event.target.dataset.date, move = KEYS[event.key];
  if (!from || !move || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  move(from).catch((error) => setText("picker-problem", explain(error)));
});

function turnPage(months) {
  const other = addMonths(month, months);
  if (isOffered(other)) load("Loading days …", (isCurrent) => showMonth(other, isCurrent), "picker-problem");
}
byId("previous").onclick = () => turnPage(-1);
byId("next").onclick = () => turnPage(1);
byId("find").onclick = () => openFreeDay(addDays(date, 1), "picker-problem");
byId("change-time").onclick = () => backToTimes();
byId("verify").onclick = verify;
byId("cancel").onclick = cancel;
byId("move").onclick = chooseOtherTime;
byId("keep").onclick = () => {
  show("booking");
  byId("booking-title").focus();
};
byId("time-zone").onchange = ({ target }) => changeZone(target.value);
details.addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
addEventListener("hashchange", start); // another link of an email, opened in this tab

showZones();
start();
