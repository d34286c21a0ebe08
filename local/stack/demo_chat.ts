/**
 * /demo/chat: an incoming webhook as Slack has it, so that webhooks reach a chat without internet. POST takes
 * `{"text": "…"}` and responds like Slack; GET returns the last messages with their headers, newest first.
 */
import { parseJson, readText, TooLarge } from "../wire/json.ts";

export const CHAT_PATH = "/demo/chat";
const MAX_MESSAGES = 50;

interface Message {
  body: unknown;
  headers: Record<string, string>;
}

export function createDemoChat(): (request: Request) => Promise<Response> {
  const messages: Message[] = [];
  return async (request) => {
    if (request.method === "GET") return Response.json(messages);
    if (request.method !== "POST") return new Response("method_not_allowed", { status: 405 });
    const body = await readMessage(request);
    if (body === undefined) return new Response("invalid_payload", { status: 400 });
    if (!(body as { text?: unknown } | null)?.text) return new Response("no_text", { status: 400 });
    messages.unshift({ body, headers: Object.fromEntries(request.headers) });
    messages.length = Math.min(messages.length, MAX_MESSAGES);
    return new Response("ok");
  };
}

async function readMessage(request: Request): Promise<unknown> {
  try {
    return parseJson(await readText(request));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TooLarge) return undefined;
    throw error;
  }
}
