/** Headers by which mail programs make emails of one subject a thread, and file those of one podcast. */
import { Buffer } from "node:buffer";
import { toHeaderText } from "./header_text.ts";

/** What an email is about. */
export interface EmailTopic {
  /** Of notification, such as chat.message, or another kind of email. */
  type: string;
  podcast: { id: string; title: string } | null;
  /** A secret id of the thread, the same for each email of its subject to one recipient. */
  threadId: string | null;
}

const MAX_TITLE_LENGTH = 60;

/**
 * Each email answers the root of its thread, which was never sent: programs group what has the same root, and no email
 * must be the first. The ids are in the domain of the sender.
 */
export function topicHeaders({ podcast, threadId }: EmailTopic, domain: string): Record<string, string> {
  const root = `<thread.${threadId}@${domain}>`;
  return {
    ...threadId !== null && { "In-Reply-To": root, References: root },
    ...podcast && { "List-Id": `${toPhrase(podcast.title)} <${podcast.id}.podcasts.${domain}>`.trimStart() }, // RFC 2919
  };
}

/**
 * Gmail's reports of complaints name these fields: type, podcast and sender. Each must hold for many emails, and the last
 * has 5 to 15 characters.
 */
export const feedbackIdOf = ({ type, podcast }: EmailTopic) => `${type}:${podcast?.id ?? ""}::castbase`;

/** The address of a sender, which may have a name: `Castbase <noreply@castbase.example>`. */
export const addressOf = (sender: string) => sender.slice(sender.lastIndexOf("<") + 1).replace(">", "").trim();

export const domainOf = (sender: string) => addressOf(sender).split("@")[1];

/** Words that need no quotes, or encoded words (RFC 2047) of at most 75 characters. */
function toPhrase(title: string): string {
  const text = toHeaderText(title, MAX_TITLE_LENGTH);
  if (/^[\w ]*$/.test(text)) return text;
  const words: string[] = [""];
  for (const character of text) {
    if (byteLength(words.at(-1)! + character) > MAX_ENCODED_BYTES) words.push("");
    words[words.length - 1] += character;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join(" ");
}

const MAX_ENCODED_BYTES = 45; // 60 characters of Base64
const byteLength = (text: string) => new TextEncoder().encode(text).length;
