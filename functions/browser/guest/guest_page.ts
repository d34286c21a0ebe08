/**
 * The guest page's script. All text that people wrote is inserted as text, never as HTML.
 */
import type { z } from "zod";
import type {
  GuestEpisodeResponse,
  GuestInvitationResponse,
  GuestMessageResponse,
  ListGuestMessagesResponse,
} from "../../../types/guests.ts";
import { initialsOf, tileClass } from "../../text/initials.ts";
import { formatTag, languageOf } from "../../text/languages/texts.ts";
import { openConfirmation } from "./confirmation.ts";
import { createAccountForm } from "./guest_account.ts";
import { fillIn, isolate, language, texts } from "./guest_texts.ts";

type Invitation = z.infer<typeof GuestInvitationResponse>["data"];
type GuestEpisode = z.infer<typeof GuestEpisodeResponse>["data"];
type Covered = Pick<GuestEpisode["podcast"], "coverImageUrl" | "coverCopies">;
type MessagePage = z.infer<typeof ListGuestMessagesResponse>;
type Message = z.infer<typeof GuestMessageResponse>["data"];

/** As on listen pages. */
const COVER_SIZES = "(min-width: 46rem) 16rem, 8rem";
const PAGE_SIZE = 50, POLL_MS = 8000, TIMEOUT_MS = 30_000;
/** Seconds between attempts to open the invitation. After the last one the guest decides. */
const RETRY_DELAYS = [1, 2, 4, 8, 16, 30, 30, 30, 30, 30];
const { api: apiUrl, notificationsApi: notificationsUrl, imageOrigins = "" } = document.body.dataset;
const fragment = new URLSearchParams(location.hash.slice(1)), accessToken = fragment.get("token");
const byId = (id: string) => document.getElementById(id)!;
let status: Invitation["episodeGuest"]["status"] | undefined, episodeId: string | undefined;
/** Tag for dates. */
let format = language;
/** While one action runs, no other starts. Polls that began before the last action are outdated. */
let isBusy = false, actions = 0;

/** A response with an error has a status; without one, no response came. The server's messages are English. */
class RequestError extends Error {
  constructor(message: string, readonly status?: number, readonly code?: string, readonly lang?: string) {
    super(message);
  }
}

async function send<T>(url: string, init: RequestInit): Promise<T> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
    .catch((error) => Promise.reject(new RequestError(String(error))));
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  const message = body.error || body.message;
  throw new RequestError(message || texts.failed, response.status, body.code, message && "en");
}

const post = <T>(url: string, fields?: object) =>
  send<T>(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ accessToken, ...fields }),
  });

const request = <T>(path: string, fields?: object) => post<T>(apiUrl + path, fields);

const readEpisode = async () => (await request<{ data: GuestEpisode }>("/episode")).data;

const isOutage = ({ status }: RequestError) => !status || status >= 500 || status === 408;

/** Screen readers announce a changed text, and the same text only after it was removed. */
function setText(id: string, text: string, lang?: string) {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
  if (!lang) return element.removeAttribute("lang");
  Object.assign(element, { lang, dir: "auto" });
}

/** Shows an error beside its button. An invalid token closes the page. */
async function showError(error: RequestError, id: string) {
  if (error.status === 401) return closePage();
  if (isOutage(error)) setText(id, texts.tryAgain);
  else if (error.status === 429 && language !== "en") setText(id, texts.tooManyTries); // the server says it in English
  else setText(id, error.message, error.lang);
  if (error.status !== 403) return;
  // the guest declined in another window
  await readEpisode().then(showInvitation, () => {});
}

function closePage() {
  const hadFocus = byId("invitation").contains(document.activeElement);
  byId("invitation").hidden = byId("loading").hidden = true;
  byId("invalid-link").hidden = false;
  document.body.className = "message";
  if (hadFocus) byId("invalid-link").focus();
  status = undefined;
}

/** Runs an action, and refreshes the messages if it returns true. Disabling buttons would take their focus away. */
async function runAction(action: () => Promise<boolean>, errorId: string) {
  if (isBusy) return;
  isBusy = true;
  actions++;
  document.body.dataset.busy = "";
  setText(errorId, "");
  const shouldRefresh = await action().catch((error) => showError(error, errorId));
  delete document.body.dataset.busy;
  isBusy = false;
  if (shouldRefresh && status !== "declined") await refreshMessages();
}

/** An error stays above the messages until a refresh succeeds. */
async function refreshMessages() {
  await loadNewMessages().then(() => setText("chat-error", ""), (error) => showError(error, "chat-error"));
}

let isOpening = false, attempts = 0, nextAttempt: number | undefined;

/** Opens the invitation. While the server is unreachable, it retries with growing delays. */
async function openInvitation() {
  if (isOpening || status || !byId("invalid-link").hidden) return;
  isOpening = true;
  clearTimeout(nextAttempt);
  setText("loading-status", texts.opening);
  byId("loading").hidden = false;
  try {
    const episode = await readEpisode();
    const { language: tag } = episode.podcast;
    if (languageOf(tag) !== language && !new URLSearchParams(location.search).has("lang")) {
      return location.replace(`?lang=${languageOf(tag)}${location.hash}`);
    }
    format = languageOf(tag) === language ? formatTag(tag) : language;
    const hadFocus = document.activeElement === byId("try-again");
    showEpisode(episode);
    showInvitation(episode);
    byId("loading").hidden = true;
    setText("loading-error", "");
    if (hadFocus) byId("status").focus(); // its button is hidden
    if (status !== "declined") refreshMessages();
  } catch (error) {
    if ([400, 401, 404].includes((error as RequestError).status ?? 0)) closePage();
    else retryLater();
  } finally {
    isOpening = false;
  }
}

function retryLater() {
  const delay = RETRY_DELAYS[attempts++];
  setText("loading-status", delay ? texts.retrying : "");
  setText("loading-error", delay ? texts.unreachable : texts.checkConnection);
  byId("try-again").hidden = false;
  if (delay) nextAttempt = setTimeout(openInvitation, delay * 1000);
}

function tryAgain() {
  attempts = 0;
  openInvitation();
}

const formatTime = (time: string, dateStyle: "long" | "medium" = "long") =>
  new Date(time).toLocaleString(format, { dateStyle, timeStyle: "short" });

const statusText = (name: string) =>
  fillIn(status === "active" || status === "declined" ? texts[status] : texts.invited, name);

const requests = { byId, setText, send, isOutage, RequestError, runAction };
const account = createAccountForm({ ...requests, readInvitation: readEpisode });

function showInvitation(invitation: Invitation) {
  const { episodeGuest, guest } = invitation;
  ({ status, episodeId } = episodeGuest);
  byId("status").textContent = statusText(guest.displayName);
  byId("accept").hidden = status === "active";
  byId("decline").hidden = status === "declined";
  byId("chat").hidden = status === "declined";
  account.show(invitation);
  document.body.className = "guest";
  byId("invitation").hidden = false;
}

function showEpisode({ episode, podcast }: GuestEpisode) {
  document.title = `${episode.title} · ${podcast.title}`;
  const written = { podcast: podcast.title, episode: episode.title, description: episode.description };
  for (const [id, text] of Object.entries(written)) setText(id, text, podcast.language);
  byId("date").textContent = dateLine(episode);
  byId("cover").replaceChildren(cover([episode, podcast], podcast.title));
  const player = byId("player") as HTMLAudioElement;
  player.hidden = !episode.audioUrl;
  if (episode.audioUrl) player.src = episode.audioUrl;
}

function dateLine({ publishedAt, scheduledAt }: GuestEpisode["episode"]): string {
  if (publishedAt) return fillIn(texts.published, formatTime(publishedAt));
  return scheduledAt ? fillIn(texts.scheduled, formatTime(scheduledAt)) : "";
}

/** The first image of the service's own, else initials: the page's policy forbids images of other hosts. */
function cover(sources: Covered[], title: string): HTMLElement {
  const source = sources.find(({ coverImageUrl: url }) => url && imageOrigins.split(" ").includes(new URL(url).origin));
  const element = document.createElement(source ? "img" : "span");
  element.className = source ? "" : tileClass(title);
  if (!source) element.textContent = initialsOf(title);
  else {
    const files = (source.coverCopies ?? []).filter(({ type }) => type === "image/webp"); // an older API has none
    const srcset = files.map(({ url, width }) => `${url} ${width}w`).join(", ");
    Object.assign(element, { sizes: COVER_SIZES, srcset, src: files.at(-1)?.url ?? source.coverImageUrl, alt: "" });
  }
  return element;
}

type ShownMessage = Message & { line: HTMLLIElement };

/** The shown messages, oldest first and without gaps, and the cursor of earlier ones. */
let messages: ShownMessage[] = [], earlierCursor: string | null = null;

function withLine(message: Message): ShownMessage {
  return { ...message, line: renderMessage(message) };
}

function renderMessage({ body, createdAt, deletedAt, isMine, sender }: Message): HTMLLIElement {
  const line = document.createElement("li"),
    heading = document.createElement("p"),
    text = document.createElement("p");
  const name = isMine ? texts.you : isolate(sender.name || texts.team);
  heading.className = "quiet";
  heading.textContent = `${isMine || sender.type === "member" ? name : fillIn(texts.guest, name)} · ${
    isolate(formatTime(createdAt, "medium"))
  }`;
  text.className = deletedAt ? "quiet" : "text";
  text.dir = "auto";
  text.textContent = deletedAt ? texts.messageDeleted : body;
  line.classList.toggle("mine", isMine);
  line.append(heading, text);
  return line;
}

const loadPage = (cursor?: string | null) =>
  request<MessagePage>("/messages/list", { limit: PAGE_SIZE, ...cursor && { cursor } });

function showMessages() {
  const list = byId("messages"), lines = messages.map(({ line }) => line), wanted = new Set<Element>(lines);
  for (const line of [...list.children]) if (!wanted.has(line)) line.remove();
  lines.forEach((line, index) => {
    if (list.children[index] !== line) list.insertBefore(line, list.children[index] ?? null);
  });
  byId("load-earlier").hidden = !earlierCursor;
  byId("no-messages").hidden = messages.length > 0;
}

/** Reads backwards from the newest message to those shown. A shown message that is missing there was deleted. */
async function loadNewMessages() {
  const actionsBefore = actions, newest = messages.at(-1), loaded: Message[] = [];
  let hasMore: boolean, cursor: string | null | undefined;
  do {
    const { data, pagination } = await loadPage(cursor);
    loaded.push(...data);
    ({ hasMore, nextCursor: cursor } = pagination);
  } while (hasMore && newest && loaded.at(-1)!.createdAt >= newest.createdAt);
  if (actions !== actionsBefore) return;
  const ids = new Set(loaded.map(({ id }) => id)), shown = new Map(messages.map((message) => [message.id, message]));
  const oldest = loaded.at(-1)?.createdAt ?? "";
  const earlier = hasMore ? messages.filter(({ id, createdAt }) => createdAt <= oldest && !ids.has(id)) : [];
  if (!earlier.length) earlierCursor = cursor;
  if (loaded.some(({ id, isMine }) => !isMine && !shown.has(id))) remainingReads = 2;
  const recent = loaded.reverse().map((message) => {
    const known = shown.get(message.id);
    return known && known.deletedAt === message.deletedAt ? known : withLine(message);
  });
  messages = [...earlier, ...recent];
  showMessages();
  markNotificationsRead();
}

/** A sender's client notifies after it has posted, so the guest's notifications are marked again by the next poll. */
let remainingReads = 0;

async function markNotificationsRead() {
  if (!isAttended || remainingReads === 0 || document.visibilityState !== "visible") return;
  await post(`${notificationsUrl}/guest-read`, { episodeId }).then(() => remainingReads--, () => {});
}

/** Whether a person has scrolled, tapped or typed: an email scanner that runs scripts opens the page and reads nothing. */
let isAttended = false;
for (const type of ["pointerdown", "wheel", "touchstart", "keydown"]) {
  addEventListener(type, ({ isTrusted }) => {
    if (isAttended || !isTrusted) return;
    isAttended = true;
    markNotificationsRead();
  }, { passive: true });
}

/** The guest's messages of which the team is not notified yet; each poll tries again after an outage. */
const unannounced = new Set<string>();

async function announceMessages() {
  for (const messageId of unannounced) {
    const isDone = await post(`${notificationsUrl}/events/chat`, { episodeId, messageId })
      .then(() => true, (error) => !isOutage(error));
    if (isDone) unannounced.delete(messageId);
  }
}

async function loadEarlier() {
  const { data, pagination } = await loadPage(earlierCursor);
  messages.unshift(...data.reverse().map(withLine));
  earlierCursor = pagination.nextCursor;
  showMessages();
  if (!earlierCursor) byId("message-log").focus({ preventScroll: true }); // the button is hidden
  return false;
}

async function respond(path: "/accept" | "/decline") {
  showInvitation((await request<{ data: Invitation }>(path)).data);
  byId("status").focus(); // the button is hidden
  return true;
}

async function sendMessage() {
  const field = byId("body") as HTMLTextAreaElement, body = field.value;
  if (!body.trim()) return false;
  const { data: { id } } = await request<{ data: Message }>("/messages", { body });
  unannounced.add(id);
  announceMessages();
  if (field.value === body) field.value = ""; // if it differs, the guest is writing the next one
  return true;
}

byId("accept").onclick = () => runAction(() => respond("/accept"), "answer-error");
byId("decline").onclick = () => runAction(() => respond("/decline"), "answer-error");
byId("load-earlier").onclick = () => runAction(loadEarlier, "chat-error");
byId("message-form").onsubmit = (event) => {
  event.preventDefault();
  runAction(sendMessage, "send-error");
};
byId("try-again").onclick = tryAgain;
addEventListener("online", () => accessToken && tryAgain());
onhashchange = () => location.reload();

/** Polls for new messages. An outage is not shown: the next poll may succeed. */
async function poll() {
  const isOpen = status === "invited" || status === "active";
  if (isOpen) announceMessages();
  if (isOpen && !isBusy && document.visibilityState === "visible") {
    await loadNewMessages().then(() => setText("chat-error", ""), async (error) => {
      if (!isOutage(error) && !isBusy) await showError(error, "chat-error");
    });
  }
  setTimeout(poll, POLL_MS);
}
setTimeout(poll, POLL_MS);

const tokenHash = fragment.get("token_hash");
if (accessToken) openInvitation();
else if (tokenHash) openConfirmation(requests, { type: fragment.get("type") ?? "", tokenHash });
else byId("incomplete-link").hidden = false;
