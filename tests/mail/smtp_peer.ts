// A mail server that speaks SMTP, with faults on demand.
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { close, listen } from "../../local/mail/smtp.ts";

/** What the server does with an email instead of accepting it. */
export type SmtpFault =
  /** 550 and 450 after RCPT TO. */
  | "unknown_recipient"
  | "busy_recipient"
  /** 554 and 451 after the content. */
  | "rejected_content"
  | "busy"
  /** The connection is lost before the content is accepted, or after. */
  | "lost_before"
  | "drop_after";

/** Any other reply. */
export interface SmtpReply {
  command: "RCPT TO" | "DATA";
  code: number;
  text: string;
}

export interface ReceivedEmail {
  to: string;
  messageId: string;
  text: string;
  html: string;
  /** The calendar file, if there is one. */
  calendar: string | undefined;
  /** The client may not know it: the connection was lost. */
  isAccepted: boolean;
}

export type SmtpPeer = Awaited<ReturnType<typeof startSmtpPeer>>;

const rejection = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

const RECIPIENT_ERRORS: Partial<Record<string, [number, string]>> = {
  unknown_recipient: [550, "No such mailbox"],
  busy_recipient: [450, "Mailbox busy"],
};
const CONTENT_ERRORS: Partial<Record<string, [number, string]>> = {
  rejected_content: [554, "Message rejected"],
  busy: [451, "Try again later"],
};

function errorOf(fault: SmtpFault | SmtpReply | undefined, command: "RCPT TO" | "DATA"): [number, string] | undefined {
  if (typeof fault === "object") return fault.command === command ? [fault.code, fault.text] : undefined;
  return fault && (command === "DATA" ? CONTENT_ERRORS : RECIPIENT_ERRORS)[fault];
}

export async function startSmtpPeer() {
  const received: ReceivedEmail[] = [], faults = new Map<string, SmtpFault | SmtpReply | undefined>();
  const state = { isClosed: false, recipients: 0 }, passwords = new Set(["of the peer"]);
  let chooseFault: (recipient: string) => SmtpFault | SmtpReply | undefined = () => undefined;
  let delay: (recipient: string) => Promise<void> | undefined = () => undefined;

  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    onAuth({ password, username }, _session, done) {
      if (passwords.has(password ?? "")) done(null, { user: username ?? "" });
      else done(rejection(535, "Authentication failed"));
    },
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 500,
    onMailFrom(_address, _session, done) {
      done(state.isClosed ? rejection(530, "Log in first") : null);
    },
    onRcptTo({ address }, { id }, done) {
      state.recipients++;
      const fault = chooseFault(address), error = errorOf(fault, "RCPT TO");
      faults.set(id, fault);
      done(error && rejection(error[0], `${error[1]} <${address}>`));
    },
    onData(stream, { id, envelope }, done) {
      const chunks: Uint8Array[] = [], fault = faults.get(id);
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", async () => {
        const { messageId, text = "", html = "", attachments } = await PostalMime.parse(Buffer.concat(chunks));
        const file = attachments.find(({ mimeType }) => mimeType === "text/calendar")?.content;
        const calendar = file && new TextDecoder().decode(file as ArrayBuffer);
        const isAccepted = !fault || fault === "drop_after", to = envelope.rcptTo[0].address;
        await delay(to);
        received.push({ to, messageId: messageId!, text, html, calendar, isAccepted });
        if (fault === "lost_before" || fault === "drop_after") return disconnect(id);
        const error = errorOf(fault, "DATA");
        done(error && rejection(...error));
      });
    },
  });
  /** smtp-server has no other way to end one connection. */
  function disconnect(id: string) {
    const { connections } = server as unknown as { connections: Set<{ id: string; _socket: Socket }> };
    for (const connection of connections) if (connection.id === id) connection._socket.destroy();
  }

  const port = await listen(server, 0);
  return {
    url: `smtp://127.0.0.1:${port}`,
    /** The passwords that it accepts; none is needed. */
    passwords,
    /** Each content that arrived, in order. */
    received,
    /** isClosed: 530 to every sender; recipients: RCPT TO commands so far. */
    state,
    setFault: (choose: typeof chooseFault) => chooseFault = choose,
    /** The server has an email's content but decides only when this resolves. */
    setDelay: (wait: typeof delay) => delay = wait,
    [Symbol.asyncDispose]: () => close(server),
  };
}
