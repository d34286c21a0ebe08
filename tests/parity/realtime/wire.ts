/** A bare connection to Realtime: sends any frame and keeps what arrives, for what supabase-js does not send. */
import { waitFor, within } from "../../wait_for.ts";
import { server } from "./subscribers.ts";

/** `[joinRef, ref, topic, event, payload]` of protocol version 2.0.0. */
// deno-lint-ignore no-explicit-any
export type Frame = [string | null, string | null, string, string, any];

export async function openWire(key = server.publishableKey, url = server.url, version = "2.0.0") {
  const address = `${url.replace("http", "ws")}/realtime/v1/websocket?apikey=${key}&vsn=${version}`;
  const socket = new WebSocket(address);
  socket.binaryType = "arraybuffer";
  const frames: Frame[] = [];
  const bytes: Uint8Array[] = [];
  const closed = new Promise<number>((resolve) => socket.onclose = ({ code }) => resolve(code));
  socket.onmessage = ({ data }) => {
    if (typeof data !== "string") return bytes.push(new Uint8Array(data));
    const message = JSON.parse(data);
    const { join_ref, ref, topic, event, payload } = message;
    frames.push(Array.isArray(message) ? message as Frame : [join_ref, ref, topic, event, payload]);
  };
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  let refs = 0;
  return {
    socket,
    frames,
    bytes,
    closed: () => within("the end of the socket", closed, 10),
    /** Sends a message and returns the payload of its reply. */
    async ask(topic: string, event: string, payload: unknown = {}) {
      const ref = `ask-${++refs}`;
      const message = version === "1.0.0"
        ? { join_ref: topic, ref, topic, event, payload }
        : [topic, ref, topic, event, payload];
      socket.send(JSON.stringify(message));
      const isReply = ([, replyRef, , replyEvent]: Frame) => replyRef === ref && replyEvent === "phx_reply";
      return (await waitFor(`the reply to ${event}`, () => frames.find(isReply)))[4];
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      await closed;
    },
  };
}
