/**
 * The pages of the inbox, without scripts. The HTML of an email is a document of its own in a sandboxed frame, without
 * scripts and forms.
 */
import { html, raw } from "hono/html";
import { type Inbox, type Mail, people } from "./inbox.ts";

type Html = ReturnType<typeof html>;

const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const MAIL_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src * data:; font-src data:; form-action 'none'; frame-ancestors 'self'";

const style = raw(`
  :root { color-scheme: light dark; --line: light-dark(#d5d5dc, #3c3c46); --soft: light-dark(#5a5a66, #a9a9b6); --accent: light-dark(#4b2fb8, #b9a8ff); }
  * { box-sizing: border-box; }
  body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 3rem; font: 1rem/1.5 system-ui, sans-serif; }
  header { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; justify-content: space-between; margin-bottom: 1rem; }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
  a { color: var(--accent); }
  a:focus-visible, button:focus-visible, summary:focus-visible, iframe:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
  button { font: inherit; padding: .35rem .9rem; border: 1px solid var(--line); border-radius: .4rem; background: none; color: inherit; cursor: pointer; }
  table { width: 100%; border-collapse: collapse; }
  th { text-align: left; font-weight: 600; color: var(--soft); font-size: .875rem; }
  th, td { padding: .55rem .75rem .55rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
  td:nth-child(2) { width: 18rem; }
  td:last-child, th:last-child { white-space: nowrap; padding-right: 0; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 0 1.25rem; }
  dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
  main h1 { margin-bottom: .75rem; }
  h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
  iframe { width: 100%; height: 60vh; border: 1px solid var(--line); border-radius: .4rem; background: #fff; }
  pre { margin: 0; padding: 1rem; border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; }
  summary { cursor: pointer; }
  .empty { color: var(--soft); padding: 3rem 0; text-align: center; }
  @media (max-width: 40rem) {
    thead { display: none; }
    tr, td, td:nth-child(2) { display: block; width: auto; }
    tr { padding: .55rem 0; border-bottom: 1px solid var(--line); }
    td { padding: 0; border: 0; }
  }
`);

/** Handles requests for pages; undefined for unknown paths. */
export async function pages(inbox: Inbox, request: Request): Promise<Response | undefined> {
  const { pathname, origin } = new URL(request.url);
  if (pathname === "/delete" && request.method === "POST") {
    // Rejects forms of other sites
    if (new URL(request.headers.get("origin") ?? origin).host !== new URL(origin).host) {
      return new Response("Forbidden", { status: 403 });
    }
    await inbox.remove();
    return new Response(null, { status: 303, headers: { location: "/" } });
  }
  if (pathname === "/") return await page("Inbox", list(inbox.all()));
  const [, id, part] = /^\/view\/([a-z0-9]+)(\/html)?$/.exec(pathname) ?? [];
  const mail = id && inbox.get(id);
  if (!mail) return undefined;
  return part ? mailDocument(mail) : await page(mail.parsed.subject || "No subject", view(mail));
}

export async function notFound(): Promise<Response> {
  return await page(
    "Not found",
    html`<header><h1>Not found</h1></header><p>This email was deleted, or 500 newer ones arrived. <a href="/">Back to the inbox</a></p>`,
    404,
  );
}

async function page(title: string, body: Html | Promise<Html>, status = 200): Promise<Response> {
  const text = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${style}</style></head><body>${await body}</body></html>`;
  return new Response(String(await text), {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": PAGE_POLICY,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}

const formatAddresses = (list: Parameters<typeof people>[0]) =>
  people(list).map(({ name, address }) => name ? `${name} <${address}>` : address).join(", ");
const time = (date: Date) =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 16).replace("T", " ")} UTC</time>`;

const list = (mails: Mail[]) =>
  html`
<header><h1>Inbox (${mails.length})</h1>
${mails.length ? html`<form method="post" action="/delete"><button>Delete all emails</button></form>` : ""}</header>
<main>${
    mails.length
      ? html`<table><thead><tr><th scope="col">Subject</th><th scope="col">To</th><th scope="col">Received</th></tr></thead><tbody>
${
        mails.map((mail) =>
          html`<tr><td><a href="/view/${mail.id}">${mail.parsed.subject || "No subject"}</a></td><td>${
            mail.recipients.join(", ")
          }</td><td>${time(mail.received)}</td></tr>
`
        )
      }</tbody></table>`
      : html`<p class="empty">No emails yet. Emails that the stack sends appear here; reload to check.</p>`
  }</main>`;

const view = (mail: Mail) =>
  html`
<header><a href="/">← Inbox</a></header>
<main><h1>${mail.parsed.subject || "No subject"}</h1>
<dl><dt>From</dt><dd>${formatAddresses(mail.parsed.from)}</dd><dt>To</dt><dd>${
    mail.recipients.join(", ")
  }</dd><dt>Received</dt><dd>${time(mail.received)}</dd>
${
    mail.parsed.attachments.length
      ? html`<dt>Attached</dt><dd>${
        mail.parsed.attachments.map(({ filename, mimeType }) => filename ?? mimeType).join(", ")
      }</dd>`
      : ""
  }</dl>
${
    mail.parsed.html
      ? html`<iframe title="HTML of the email" src="/view/${mail.id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`
      : ""
  }
${mail.parsed.text ? html`<h2>Plain text</h2><pre tabindex="0">${mail.parsed.text}</pre>` : ""}
<h2><a href="/api/v1/message/${mail.id}/raw">Source</a></h2>
<details><summary>Headers</summary><pre tabindex="0">${
    mail.parsed.headers.map(({ originalKey, value }) => `${originalKey}: ${value}\n`)
  }</pre></details></main>`;

/** The HTML of an email for the frame. Links open in a new tab. */
const mailDocument = (mail: Mail) =>
  new Response(`<!doctype html><base target="_blank">${mail.parsed.html ?? ""}`, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": MAIL_POLICY,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
