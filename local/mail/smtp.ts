/** The SMTP server that every mail of the stack goes to: it takes all, for anyone, and sends nothing on. */
import { SMTPServer } from "smtp-server";
import { Buffer } from "node:buffer";
import type { AddressInfo } from "node:net";
import { explain } from "../startup_error.ts";
import type { Inbox } from "./inbox.ts";

const LARGEST = 10 * 1024 * 1024;

/** Listens on 127.0.0.1; port 0 is any free one. */
export async function startSmtp(inbox: Inbox, port: number) {
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    logger: false,
    size: LARGEST,
    closeTimeout: 500, // a client that stays connected keeps the stack from stopping no longer than this
    onAuth: (_auth, _session, done) => done(null, { user: "anyone" }),
    onData(stream, session, done) {
      const chunks: Uint8Array[] = [];
      let length = 0;
      stream.on("data", (chunk: Uint8Array) => {
        // Read on to the end even when it is too long: the answer can only follow it
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
            done(Object.assign(new Error("Insufficient system storage"), { responseCode: 452 })); // senders try again
          },
        );
      });
    },
  });
  // A client that hangs up in the middle of a mail is no news
  server.on("error", () => {});
  await new Promise<void>((resolve, reject) => {
    server.server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        // smtp-server waits for its clients with a timer that lets the process end in the middle
        const awake = setInterval(() => {}, 1000);
        server.close(() => {
          clearInterval(awake);
          resolve();
        });
      }),
  };
}
