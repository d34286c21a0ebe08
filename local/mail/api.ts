/**
 * The inbox as JSON, under the paths and names of Mailpit, which `supabase start` runs: GET /api/v1/messages,
 * /api/v1/search?query=, /api/v1/message/{id} (or `latest`), its /headers and /raw, DELETE /api/v1/messages.
 * `/api/messages` and `/api/messages/{id}` are short forms.
 */
import { parseJson, readText } from "../wire/json.ts";
import { snippetOf, textOf } from "./html_text.ts";
import { type Inbox, type Mail, people } from "./inbox.ts";

/** Handles requests below /api/; undefined for unknown paths. */
export async function api(inbox: Inbox, request: Request): Promise<Response | undefined> {
  const { pathname, searchParams } = new URL(request.url);
  const [, list, id, part] =
    /^\/api\/(?:v1\/)?(messages|message|search)(?:\/([^/]+))?(?:\/(headers|raw))?$/.exec(pathname) ?? [];
  if (!list) return undefined;
  if (id) {
    const mail = inbox.get(id);
    if (!mail || list === "search") return Response.json({ Error: "message not found" }, { status: 404 });
    if (request.method === "DELETE") return await removeEmails(inbox, [mail.id]);
    if (part === "raw") return new Response(mail.raw, { headers: { "content-type": "text/plain; charset=utf-8" } });
    return Response.json(part === "headers" ? headersOf(mail) : details(mail));
  }
  const query = searchParams.get("query") ?? "";
  if (request.method === "DELETE") {
    if (list === "search") {
      return await removeEmails(
        inbox,
        inbox.all().filter((mail) => matches(mail, query)).map((mail) => mail.id),
        true,
      );
    }
    const { IDs = [] } = await readText(request).then(parseJson).catch(() => ({})) as { IDs?: string[] };
    return await removeEmails(inbox, IDs);
  }
  const all = inbox.all();
  const found = all.filter((mail) => matches(mail, query));
  const start = count(searchParams.get("start"), 0);
  const messages = found.slice(start, start + count(searchParams.get("limit"), 50)).map(summary);
  return Response.json({
    total: all.length,
    unread: all.length,
    count: messages.length,
    messages_count: found.length,
    start,
    tags: [],
    messages,
  });
}

async function removeEmails(inbox: Inbox, ids: string[], keepsIfEmpty = false): Promise<Response> {
  if (ids.length || !keepsIfEmpty) await inbox.remove(ids);
  return new Response("ok", { headers: { "content-type": "text/plain" } });
}

const count = (text: string | null, defaultValue: number) => Math.max(0, Math.trunc(Number(text ?? defaultValue)) || 0);

/** Mailpit's basic searches: words, `to:`, `from:`, `subject:`. All terms must match. */
function matches(mail: Mail, query: string): boolean {
  const terms = query.toLowerCase().match(/(?:[a-z]+:)?(?:"[^"]*"|\S+)/g) ?? [];
  const { parsed } = mail;
  const fields: Record<string, string> = {
    to: [...mail.recipients, ...people(parsed.to).flatMap(({ name, address }) => [name, address])].join("\n"),
    from: people(parsed.from).flatMap(({ name, address }) => [name, address]).join("\n"),
    subject: parsed.subject ?? "",
  };
  return terms.every((term) => {
    const [, field, words] = /^(?:(to|from|subject):)?"?([^"]*)"?$/.exec(term) ?? [, , term];
    const text = field ? fields[field] : [...Object.values(fields), parsed.text, parsed.html].join("\n");
    return text.toLowerCase().includes(words!);
  });
}

const toAddresses = (addresses: Parameters<typeof people>[0]) =>
  people(addresses).map(({ name, address }) => ({ Name: name, Address: address }));

function summary(mail: Mail) {
  const { parsed } = mail;
  const named = new Set(
    [parsed.to, parsed.cc, parsed.bcc].flatMap((list) => people(list).map(({ address }) => address)),
  );
  return {
    ID: mail.id,
    MessageID: (parsed.messageId ?? "").replace(/^<|>$/g, ""),
    Read: false,
    From: toAddresses(parsed.from)[0] ?? null,
    To: toAddresses(parsed.to),
    Cc: toAddresses(parsed.cc),
    // Recipients without a header received a blind copy
    Bcc: [
      ...toAddresses(parsed.bcc),
      ...mail.recipients.filter((address) => !named.has(address)).map((Address) => ({ Name: "", Address })),
    ],
    ReplyTo: toAddresses(parsed.replyTo),
    Subject: parsed.subject ?? "",
    Created: mail.received.toISOString(),
    Username: "",
    Tags: [],
    Size: mail.raw.length,
    Attachments: parsed.attachments.length,
    Snippet: snippetOf(parsed.text, parsed.html),
  };
}

function details(mail: Mail) {
  const { parsed } = mail;
  return {
    ...summary(mail),
    ReturnPath: parsed.returnPath ?? "",
    Date: parsed.date ?? mail.received.toISOString(),
    Text: parsed.text || textOf(parsed.html ?? ""),
    HTML: parsed.html ?? "",
    Headers: headersOf(mail),
    Inline: [],
    Attachments: parsed.attachments.map(({ filename, mimeType, content }) => ({
      FileName: filename ?? "",
      ContentType: mimeType,
      Size: typeof content === "string" ? content.length : content.byteLength,
    })),
    Raw: new TextDecoder().decode(mail.raw),
  };
}

/** Header values by original name. */
function headersOf(mail: Mail): Record<string, string[]> {
  const byName = Map.groupBy(mail.parsed.headers, ({ originalKey }) => originalKey);
  return Object.fromEntries([...byName].map(([name, headers]) => [name, headers.map(({ value }) => value)]));
}
