// A receiver of webhooks that misbehaves on demand. It recognizes repeated webhooks by their id.
import { startPeer, type Visit } from "../safe_fetch/peer.ts";

/** What the receiver does with a webhook instead of accepting it. */
export type ReceiverFault =
  | "500"
  | "503 with Retry-After"
  | "429"
  | "garbage"
  /** The connection is lost before the webhook is processed. */
  | "lost before"
  /** The webhook is processed, and the connection is lost. */
  | "lost after"
  /** The webhook is processed, and the response takes seconds. */
  | "late"
  /** The client meets its time limit; the webhook is not processed. */
  | "time-out"
  /** A final rejection. */
  | "404";

export function startWebhookReceiver() {
  /** The processed webhooks by id, with the number of attempts that arrived after the processing. */
  const processed = new Map<string, { body: string; repeated: number }>();
  const bodies = new Map<string, Set<string>>();
  let attempts = 0;
  let chooseFault: (body: string) => ReceiverFault | undefined = () => undefined;

  async function receive({ request, receive, send, left }: Visit) {
    attempts++;
    const [head, begun] = request.split("\r\n\r\n");
    const id = /^webhook-id: *(\S+)/im.exec(head)![1], length = Number(/^content-length: *(\d+)/im.exec(head)![1]);
    let body = begun;
    while (new TextEncoder().encode(body).length < length) {
      const more = await receive();
      if (more === null) return; // the client was killed
      body += more;
    }
    if (!bodies.has(id)) bodies.set(id, new Set());
    bodies.get(id)!.add(body);
    const process = () => {
      const known = processed.get(id);
      if (known) known.repeated++;
      else processed.set(id, { body, repeated: 0 });
    };
    const respond = (status: string, headers = "") =>
      send(`HTTP/1.1 ${status}\r\n${headers}content-length: 0\r\nconnection: close\r\n\r\n`);
    switch (chooseFault(body)) {
      case "500":
        return await respond("500 Internal Server Error");
      case "503 with Retry-After":
        return await respond("503 Service Unavailable", "retry-after: 1\r\n");
      case "429":
        return await respond("429 Too Many Requests", "retry-after: 2\r\n");
      case "404":
        return await respond("404 Not Found");
      case "garbage":
        return await send("\u0000\u0001 this is not HTTP \r\n\r\n");
      case "lost before":
        return;
      case "lost after":
        return process();
      case "time-out":
        return await left();
      case "late":
        await new Promise((resolve) => setTimeout(resolve, 1500));
    }
    process();
    await respond("204 No Content");
  }

  const peer = startPeer(receive);
  return {
    host: peer.host,
    url: `${peer.url}in`,
    processed,
    /** The different bodies that arrived under each id. */
    bodies,
    attempts: () => attempts,
    setFault: (choose: typeof chooseFault) => chooseFault = choose,
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}
