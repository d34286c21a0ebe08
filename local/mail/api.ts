/**
 * The inbox as JSON, under the paths and names of Mailpit, which `supabase start` runs: GET /api/v1/messages,
 * /api/v1/search?query=, /api/v1/message/{id} (or `latest`), its /headers and /raw, DELETE /api/v1/messages.
 * `/api/messages` and `/api/messages/{id}` are short for them.
 */
import { parseJson, readText } from "../json.ts";
import { type Inbox, type Mail, people } from "./inbox.ts";

/** Answers a request under /api/, or nothing when no such thing exists. */
export async function api(inbox: Inbox, request: Request): Promise<Response | undefined> {
  const { pathname, searchParams } = new URL(request.url);
  const [, list, id, part] =
    /^\/api\/(?:v1\/)?(messages|message|search)(?:\/([^/]+))?(?:\/(headers|raw))?$/.exec(pathname) ?? [];
  if (!list) return undefined;
  if (id) {
    const mail = inbox.get(id);
    if (!mail || list === "search") return Response.json({ Error: "message not found" }, { status: 404 });
    if (request.method === "DELETE") return await removed(inbox, [mail.id]);
    if (part === "raw") return new Response(mail.raw, { headers: { "content-type": "text/plain; charset=utf-8" } });
    return Response.json(part === "headers" ? headersOf(mail) : whole(mail));
  }
  const query = searchParams.get("query") ?? "";
  if (request.method === "DELETE") {
    if (list === "search") {
      return await removed(
        inbox,
        inbox.all().filter((mail) => matches(mail, query)).map((mail) => mail.id),
        true,
      );
    }
    const { IDs = [] } = await readText(request).then(parseJson).catch(() => ({})) as { IDs?: string[] };
    return await removed(inbox, IDs);
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

async function removed(inbox: Inbox, ids: string[], evenNone = false): Promise<Response> {
  if (ids.length || !evenNone) await inbox.remove(ids);
  return new Response("ok", { headers: { "content-type": "text/plain" } });
}

const count = (text: string | null, otherwise: number) => Math.max(0, Math.trunc(Number(text ?? otherwise)) || 0);

/** Mailpit's simplest searches: words in the mail, `to:`, `from:`, `subject:`; all must match. */
function matches(mail: Mail, query: string): boolean {
  const terms = query.toLowerCase().match(/(?:[a-z]+:)?(?:"[^"]*"|\S+)/g) ?? [];
  const { parsed } = mail;
  const places: Record<string, string> = {
    to: [...mail.recipients, ...people(parsed.to).flatMap(({ name, address }) => [name, address])].join("\n"),
    from: people(parsed.from).flatMap(({ name, address }) => [name, address]).join("\n"),
    subject: parsed.subject ?? "",
  };
  return terms.every((term) => {
    const [, place, words] = /^(?:(to|from|subject):)?"?([^"]*)"?$/.exec(term) ?? [, , term];
    const text = place ? places[place] : [...Object.values(places), parsed.text, parsed.html].join("\n");
    return text.toLowerCase().includes(words!);
  });
}

const named = (addresses: Parameters<typeof people>[0]) =>
  people(addresses).map(({ name, address }) => ({ Name: name, Address: address }));

function summary(mail: Mail) {
  const { parsed } = mail;
  const told = new Set(
    [parsed.to, parsed.cc, parsed.bcc].flatMap((list) => people(list).map(({ address }) => address)),
  );
  return {
    ID: mail.id,
    MessageID: (parsed.messageId ?? "").replace(/^<|>$/g, ""),
    Read: false,
    From: named(parsed.from)[0] ?? null,
    To: named(parsed.to),
    Cc: named(parsed.cc),
    // Whom no header names got a blind copy
    Bcc: [
      ...named(parsed.bcc),
      ...mail.recipients.filter((address) => !told.has(address)).map((Address) => ({ Name: "", Address })),
    ],
    ReplyTo: named(parsed.replyTo),
    Subject: parsed.subject ?? "",
    Created: mail.received.toISOString(),
    Username: "",
    Tags: [],
    Size: mail.raw.length,
    Attachments: parsed.attachments.length,
    Snippet: (parsed.text ?? "").replace(/\s+/g, " ").trim().slice(0, 250),
  };
}

function whole(mail: Mail) {
  const { parsed } = mail;
  return {
    ...summary(mail),
    ReturnPath: parsed.returnPath ?? "",
    Date: parsed.date ?? mail.received.toISOString(),
    Text: parsed.text ?? "",
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

/** By name, as the mail spells it. */
function headersOf(mail: Mail): Record<string, string[]> {
  const byName = Map.groupBy(mail.parsed.headers, ({ originalKey }) => originalKey);
  return Object.fromEntries([...byName].map(([name, headers]) => [name, headers.map(({ value }) => value)]));
}
