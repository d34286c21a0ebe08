/** What the guest's page does in the browser. Everything that people wrote is put in as text, never as HTML. */
export const guestScript = `
const api = document.body.dataset.api;
const token = new URLSearchParams(location.hash.slice(1)).get("token");
const at = (id) => document.getElementById(id);
const PAGE = 50, EVERY = 8000;
let status;

async function ask(path, more) {
  const response = await fetch(api + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ accessToken: token, ...more }),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(answer.error || "Something went wrong"), { status: response.status });
  return answer;
}

/** Runs what a click asks for; what goes wrong is said, and what is no longer open goes away. */
async function attempt(work) {
  at("problem").textContent = "";
  try {
    return await work();
  } catch (error) {
    at("problem").textContent = error instanceof TypeError ? "The server cannot be reached. Try again in a moment." : error.message;
    if (error.status === 401) { at("invitation").hidden = true; status = undefined; }
  }
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

/** By id: the message and its line on the page. */
const messages = new Map();
let earlier = null;

function lineOf({ body, createdAt, isMine, sender }) {
  const line = document.createElement("li");
  const [who, said] = [document.createElement("p"), document.createElement("p")];
  who.className = "quiet";
  who.textContent = (isMine ? "You" : sender.name || "The team") + (isMine || sender.type === "member" ? "" : ", guest") + " · " + day(createdAt);
  said.className = "text";
  said.dir = "auto";
  said.textContent = body;
  line.append(who, said);
  return line;
}

/** Takes a page over. What should be in it and is not was deleted. */
function merge({ data, pagination }, isNewest) {
  const ids = new Set(data.map(({ id }) => id));
  const since = pagination.hasMore && data.length ? data.at(-1).createdAt : "";
  if (isNewest) for (const [id, { message }] of messages) if (message.createdAt > since && !ids.has(id)) messages.delete(id);
  if (!isNewest || messages.size === 0 || since === "") earlier = pagination.nextCursor;
  for (const message of data.toReversed()) if (!messages.has(message.id)) messages.set(message.id, { message, line: lineOf(message) });
  const lines = [...messages.values()].sort((a, b) => a.message.createdAt < b.message.createdAt ? -1 : a.message.createdAt > b.message.createdAt ? 1 : 0)
    .map(({ line }) => line);
  const list = at("messages"), wanted = new Set(lines);
  for (const line of [...list.children]) if (!wanted.has(line)) line.remove();
  lines.forEach((line, n) => list.children[n] !== line && list.insertBefore(line, list.children[n] || null));
  at("earlier").hidden = !earlier;
  at("silence").hidden = messages.size > 0;
}

const refresh = async () => merge(await ask("/messages/list", { limit: PAGE }), true);

at("accept").onclick = () => attempt(async () => { showInvitation((await ask("/accept")).data); await refresh(); });
at("decline").onclick = () => attempt(async () => showInvitation((await ask("/decline")).data));
at("earlier").onclick = () => attempt(async () => merge(await ask("/messages/list", { limit: PAGE, cursor: earlier }), false));
at("writing").onsubmit = (event) => {
  event.preventDefault();
  const body = at("body").value;
  if (body.trim()) attempt(async () => { await ask("/messages", { body }); at("body").value = ""; await refresh(); });
};
setInterval(() => {
  if (document.visibilityState === "visible" && (status === "invited" || status === "active")) refresh().catch(() => {});
}, EVERY);
onhashchange = () => location.reload();

if (!token) at("problem").textContent = "This page opens with the link in your invitation.";
else attempt(async () => {
  const { data } = await ask("/episode");
  showEpisode(data);
  showInvitation(data);
  if (status !== "declined") await refresh();
});
`;
