/** What the guest's page does in the browser. Everything that people wrote is put in as text, never as HTML. */
export const guestScript = `
const api = document.body.dataset.api;
const token = new URLSearchParams(location.hash.slice(1)).get("token");
const at = (id) => document.getElementById(id);
const PAGE = 50, EVERY = 8000, PATIENCE = 30_000;
/** Seconds between tries to open the invitation; after the last one the guest decides. */
const WAITS = [1, 2, 4, 8, 16, 30, 30, 30, 30, 30];
let status;
/** While a click's work goes on no other begins; what a look at the chat brings that began before it, is old. */
let busy = false, clicks = 0;

async function ask(path, more) {
  const response = await fetch(api + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ accessToken: token, ...more }),
    signal: AbortSignal.timeout(PATIENCE),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(answer.error || "Something went wrong"), { status: response.status });
  return answer;
}

/** Without a status nothing was answered. */
const isOutage = ({ status }) => !status || status >= 500 || status === 408;
/** Screen readers announce a text that is new, and the same one only after it was gone. */
const say = (place, text) => at(place).textContent !== text && (at(place).textContent = text);

/** Says beside the button what went wrong; a dead link closes the page. */
async function tell(error, place) {
  if (error.status === 401) return closePage();
  say(place, isOutage(error) ? "The server can't be reached. Try again in a moment." : error.message);
  if (error.status === 403) await ask("/episode").then(({ data }) => showInvitation(data), () => {}); // declined elsewhere
}

function closePage() {
  const hadFocus = at("invitation").contains(document.activeElement);
  at("invitation").hidden = at("opening").hidden = true;
  at("dead").hidden = false;
  if (hadFocus) at("dead").focus();
  status = undefined;
}

/** Runs what a click asks for, then looks for messages if it says so. Nothing is disabled, which would take the focus away. */
async function attempt(work, place) {
  if (busy) return;
  busy = true;
  clicks++;
  document.body.dataset.busy = "";
  say(place, "");
  const look = await work().catch((error) => tell(error, place));
  delete document.body.dataset.busy;
  busy = false;
  if (look && status !== "declined") await lookForMessages();
}

/** Looks for messages; what went wrong stands above them until a look succeeds. */
async function lookForMessages() {
  await refresh().then(() => say("chat-problem", ""), (error) => tell(error, "chat-problem"));
}

let opening = false, tries = 0, nextTry;

/** Opens the invitation. While the server can't be reached it tries again, after longer and longer waits. */
async function openPage() {
  if (opening || status || !at("dead").hidden) return;
  opening = true;
  clearTimeout(nextTry);
  say("opening-state", "Opening your invitation …");
  at("opening").hidden = false;
  try {
    const { data } = await ask("/episode");
    const hadFocus = document.activeElement === at("again");
    showEpisode(data);
    showInvitation(data);
    at("opening").hidden = true;
    say("opening-problem", "");
    if (hadFocus) at("status").focus(); // the button is gone
    if (status !== "declined") lookForMessages();
  } catch (error) {
    if ([400, 401, 404].includes(error.status)) closePage();
    else retryLater();
  } finally {
    opening = false;
  }
}

function retryLater() {
  const wait = WAITS[tries++];
  say("opening-state", wait ? "This page tries again by itself." : "");
  say("opening-problem", wait ? "The server can't be reached." : "The server still can't be reached. Check your connection.");
  at("again").hidden = false;
  if (wait) nextTry = setTimeout(openPage, wait * 1000);
}

function tryAgain() {
  tries = 0;
  openPage();
}

const day = (time) => new Date(time).toLocaleString("en", { dateStyle: "long", timeStyle: "short" });
const says = {
  invited: (name) => "Hello " + name + ", the team would like you to be a guest of this episode.",
  active: (name) => "Thank you, " + name + ": you are a guest of this episode.",
  declined: (name) => "You have declined, " + name + ". If you change your mind, you can still accept.",
};

function showInvitation({ episodeGuest, guest }) {
  status = episodeGuest.status;
  at("status").textContent = says[status](guest.displayName);
  at("accept").hidden = status === "active";
  at("decline").hidden = status === "declined";
  at("chat").hidden = status === "declined";
  at("invitation").hidden = false;
}

function showEpisode({ episode, podcast }) {
  document.title = episode.title + " · " + podcast.title;
  at("podcast").textContent = podcast.title;
  at("episode").textContent = episode.title;
  at("description").textContent = episode.description;
  const time = episode.publishedAt || episode.scheduledAt;
  at("when").textContent = time ? (episode.publishedAt ? "Published " : "To be published ") + day(time) : "";
  const cover = episode.coverImageUrl || podcast.coverImageUrl;
  at("cover").hidden = !cover;
  if (cover) at("cover").src = cover;
  at("player").hidden = !episode.audioUrl;
  if (episode.audioUrl) at("player").src = episode.audioUrl;
}

/** What is shown, oldest first, without a gap; and the cursor of what came before. */
let messages = [], earlier = null;

function lineOf({ body, createdAt, deletedAt, isMine, sender }) {
  const line = document.createElement("li");
  const [who, said] = [document.createElement("p"), document.createElement("p")];
  who.className = "quiet";
  who.textContent = (isMine ? "You" : sender.name || "The team") + (isMine || sender.type === "member" ? "" : ", guest") + " · " + day(createdAt);
  said.className = deletedAt ? "quiet" : "text";
  said.dir = "auto";
  said.textContent = deletedAt ? "Message deleted" : body;
  line.append(who, said);
  return line;
}

const withLine = (message) => ({ ...message, line: lineOf(message) });
const page = (cursor) => ask("/messages/list", { limit: PAGE, ...cursor && { cursor } });

function show() {
  const list = at("messages"), lines = messages.map(({ line }) => line), wanted = new Set(lines);
  for (const line of [...list.children]) if (!wanted.has(line)) line.remove();
  lines.forEach((line, n) => list.children[n] !== line && list.insertBefore(line, list.children[n] || null));
  at("earlier").hidden = !earlier;
  at("silence").hidden = messages.length > 0;
}

/** Reads back from the end until it reaches what is shown. What should be there then and is not was deleted. */
async function refresh() {
  const began = clicks, newest = messages.at(-1), found = [];
  let more, cursor;
  do {
    const { data, pagination } = await page(cursor);
    found.push(...data);
    [more, cursor] = [pagination.hasMore, pagination.nextCursor];
  } while (more && newest && found.at(-1).createdAt >= newest.createdAt);
  if (clicks !== began) return;
  const ids = new Set(found.map(({ id }) => id)), known = new Map(messages.map((message) => [message.id, message]));
  const before = more ? messages.filter(({ id, createdAt }) => createdAt <= found.at(-1).createdAt && !ids.has(id)) : [];
  if (!before.length) earlier = cursor;
  messages = [...before, ...found.reverse().map((message) => {
    const shown = known.get(message.id);
    return shown && shown.deletedAt === message.deletedAt ? shown : withLine(message);
  })];
  show();
}

async function goBack() {
  const { data, pagination } = await page(earlier);
  messages.unshift(...data.reverse().map(withLine));
  earlier = pagination.nextCursor;
  show();
  if (!earlier) at("log").focus({ preventScroll: true }); // the button is gone
}

async function answer(path) {
  showInvitation((await ask(path)).data);
  at("status").focus(); // the button is gone
  return true;
}

async function send() {
  const body = at("body").value;
  if (!body.trim()) return;
  await ask("/messages", { body });
  if (at("body").value === body) at("body").value = ""; // else the next one is being written
  return true;
}

at("accept").onclick = () => attempt(() => answer("/accept"), "answer-problem");
at("decline").onclick = () => attempt(() => answer("/decline"), "answer-problem");
at("earlier").onclick = () => attempt(goBack, "chat-problem");
at("writing").onsubmit = (event) => { event.preventDefault(); attempt(send, "send-problem"); };
at("again").onclick = tryAgain;
addEventListener("online", () => token && tryAgain());
onhashchange = () => location.reload();

/** Looks for news from time to time. An outage is no news: the next look may do. */
async function watch() {
  const open = status === "invited" || status === "active";
  if (open && !busy && document.visibilityState === "visible") {
    await refresh().then(() => say("chat-problem", ""), (error) => isOutage(error) || busy || tell(error, "chat-problem"));
  }
  setTimeout(watch, EVERY);
}
setTimeout(watch, EVERY);

if (token) openPage();
else at("incomplete").hidden = false;
`;
