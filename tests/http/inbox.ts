// The inbox of the stack's mail server.
import PostalMime from "postal-mime";
import { stackInfo } from "./harness.ts";

export interface InboxEmail {
  ID: string;
  MessageID: string;
  From: { Name: string; Address: string };
  To: { Name: string; Address: string }[];
  Cc: { Address: string }[];
  Bcc: { Address: string }[];
  Subject: string;
  Text: string;
  HTML: string;
}

const read = async (path: string) => await (await fetch(`${stackInfo.mailUrl}/api/v1/${path}`)).json();

/** The emails to this address, oldest first. */
export async function emailsTo(address: string, search = ""): Promise<InboxEmail[]> {
  const query = `to:"${address}" ${search}`.trim();
  const { messages }: { messages: InboxEmail[] } = await read(`search?${new URLSearchParams({ query })}`);
  return (await Promise.all(messages.map(({ ID }) => read(`message/${ID}`)))).reverse();
}

/** As its recipient's program parses it. */
export const parsedEmail = async ({ ID }: InboxEmail) =>
  await PostalMime.parse(await (await fetch(`${stackInfo.mailUrl}/api/v1/message/${ID}/raw`)).arrayBuffer());

export const headersOf = ({ ID }: InboxEmail): Promise<Record<string, string[]>> => read(`message/${ID}/headers`);
