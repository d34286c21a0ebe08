/** The SMTP server of the stack: it accepts every email and delivers none. */
import { SMTPServer } from "smtp-server";
import { Buffer } from "node:buffer";
import type { AddressInfo } from "node:net";
import { explain } from "../host/startup_error.ts";
import type { Inbox } from "./inbox.ts";

const LARGEST = 10 * 1024 * 1024;

/** Listens on 127.0.0.1. Port 0 is any free port. */
export async function startSmtp(inbox: Inbox, port: number) {
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    logger: false,
    size: LARGEST,
    closeTimeout: 500, // the longest time that a connected client delays the end of the stack
    onAuth: (_auth, _session, done) => done(null, { user: "anyone" }),
    onData(stream, session, done) {
      const chunks: Uint8Array[] = [];
      let length = 0;
      stream.on("data", (chunk: Uint8Array) => {
        // Reads to the end even if the email is too long, because the response can only follow it
        if ((length += chunk.length) <= LARGEST) chunks.push(chunk);
        else chunks.length = 0;
      });
      stream.on("end", () => {
        if (length > LARGEST) {
          return done(Object.assign(new Error("Message exceeds fixed maximum message size"), { responseCode: 552 }));
        }
        inbox.add(Buffer.concat(chunks), session.envelope.rcptTo.map(({ address }) => address)).then(
          () => done(),
          (error) => {
            console.error("mail:", explain(error) ?? error);
            done(Object.assign(new Error("Insufficient system storage"), { responseCode: 452 })); // senders retry
          },
        );
      });
    },
  });
  return { port: await listen(server, port), close: () => close(server) };
}

/** Deno 2.1 counts the connections of a node:net server, closed ones too, and accepts none beyond the backlog. */
const BACKLOG = 2 ** 30;

/** Listens on 127.0.0.1 and returns the port. Port 0 is any free port. */
export async function listen(server: SMTPServer, port: number): Promise<number> {
  // A client that disconnects within an email is not an error
  server.on("error", () => {});
  await new Promise<void>((resolve, reject) => {
    server.server.once("error", reject);
    server.server.listen({ port, host: "127.0.0.1", backlog: BACKLOG }, resolve);
  });
  return (server.server.address() as AddressInfo).port;
}

/** Resolves when the server has ended, after `closeTimeout` if clients are connected. */
export function close(server: SMTPServer): Promise<void> {
  return new Promise((resolve) => {
    // The timer of smtp-server does not keep the process running while it waits for clients
    const awake = setInterval(() => {}, 1000);
    server.close(() => {
      clearInterval(awake);
      resolve();
    });
  });
}
