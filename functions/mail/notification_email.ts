/** Renders the email of a notification's delivery. The database gives its content, with all texts. */
import { type CalendarEvent, renderCalendarFile } from "./calendar_file.ts";
import { deriveToken, digestOf } from "./email_tokens.ts";
import type { Attachment, Email } from "./email.ts";
import { toHeaderText } from "./header_text.ts";
import type { EmailTopic } from "./topic_headers.ts";
import {
  type Block,
  button,
  heading,
  note,
  paragraph,
  quote,
  renderEmail,
  richText,
  smallLink,
  subheading,
} from "./layout.ts";

/** private.email_content(). */
export interface NotificationContent {
  to: Email["to"];
  language: string;
  subject: string;
  /** Several when the email lists the messages of a thread, or is a digest: then with headings. */
  items: { heading?: string; title: string; body: string | null; html?: string | null; isQuoted: boolean }[];
  /** Text after the items; null without any. */
  details: string | null;
  /** The button's label. */
  action: string;
  /** Of the button; null without one. */
  url: string | null;
  /** Whether the button's link gets a token that opens a record. */
  hasAccess: boolean;
  reason: string;
  /** The label of the link; null for an email that is essential. */
  unsubscribe: string | null;
  /** Base of the URLs with tokens. */
  tokenUrl: string;
  replyTo: string | null;
  /** Instead of the product's name. */
  fromName?: string | null;
  /** The fragment that becomes `#token=` with the access token, in links of text and HTML. */
  accessFragment?: string | null;
  /** From 2: of content that changed since an earlier attempt. */
  version?: number;
  attachments: { filename: string; content_type: string; content: string }[];
  calendarEvent: CalendarEvent | null;
  /** `thread` names the thread in clear. */
  topic: { type: string; podcastId: string | null; podcast: string | null; thread: string | null };
}

/** As private.store_email_tokens() takes them. */
interface StoredToken {
  kind: "open" | "click" | "unsubscribe" | "access";
  digest: string;
  destination?: string;
}

const MAX_PREHEADER_LENGTH = 200;

export async function renderNotification(content: NotificationContent, deliveryId: string) {
  const tokens: StoredToken[] = [];
  const addToken = (kind: StoredToken["kind"], destination?: string) => {
    const token = deriveToken(kind, deliveryId);
    tokens.push({ kind, digest: digestOf(token), destination });
    return token;
  };
  const tokenUrl = (kind: StoredToken["kind"], destination?: string) =>
    `${content.tokenUrl}/${kind}/${addToken(kind, destination)}`;
  // a link with a secret leads to its page, because the destination of a click would store the secret in clear
  const url = content.hasAccess
    ? `${content.url}#token=${addToken("access")}`
    : content.url && tokenUrl("click", content.url);
  const unsubscribeUrl = content.unsubscribe !== null ? tokenUrl("unsubscribe") : undefined;
  const items = await renderItems(content);
  const body = renderEmail({
    language: content.language,
    subject: content.subject,
    preheader: toHeaderText(content.items[0].body ?? items[0].text, MAX_PREHEADER_LENGTH),
    blocks: [
      ...items,
      ...content.details ? [paragraph(content.details)] : [],
      ...url ? [button(content.action, url)] : [],
    ],
    footer: [note(content.reason), ...unsubscribeUrl ? [smallLink(content.unsubscribe!, unsubscribeUrl)] : []],
    pixelUrl: tokenUrl("open"),
  });
  if (content.accessFragment) {
    const fragment = `#token=${addToken("access")}`;
    body.text = body.text.replaceAll(content.accessFragment, fragment);
    body.html = body.html.replaceAll(content.accessFragment, fragment);
  }
  const email: Email = {
    to: content.to,
    ...body,
    topic: toTopic(content),
    replyTo: content.replyTo ?? undefined,
    fromName: content.fromName ?? undefined,
    headers: unsubscribeUrl ? unsubscribeHeaders(unsubscribeUrl) : undefined,
    attachments: [
      ...content.attachments.map(({ filename, content_type, content }): Attachment => ({
        filename,
        contentType: content_type,
        content,
      })),
      ...content.calendarEvent ? [await renderCalendarFile(content.calendarEvent)] : [],
    ],
  };
  return { email, tokens };
}

function toTopic({ to, topic: { type, podcastId: id, podcast: title, thread } }: NotificationContent): EmailTopic {
  return {
    type,
    podcast: id !== null && title !== null ? { id, title } : null,
    threadId: thread && deriveToken("thread", `${thread}/${to.address.toLowerCase()}`),
  };
}

type Item = NotificationContent["items"][number];

async function renderItems({ subject, items }: NotificationContent): Promise<Block[]> {
  const bodyOf = ({ body, isQuoted }: Item) => body === null ? [] : [isQuoted ? quote(body) : paragraph(body)];
  const [first] = items;
  if (first.html) return [await richText(first.body, first.html)]; // written as a whole email, so it needs no heading
  if (items.length === 1 && !first.heading) return [heading(first.title), ...bodyOf(first)];
  return [
    heading(subject),
    ...items.flatMap((item) => [
      ...item.heading ? [subheading(item.heading)] : [],
      paragraph(item.title),
      ...bodyOf(item),
    ]),
  ];
}

/** One click in the mail client (RFC 8058). */
const unsubscribeHeaders = (url: string) => ({
  "List-Unsubscribe": `<${url}>`,
  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
});
