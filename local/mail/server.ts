/** The emails of the stack: a sender for the services, an SMTP server, and an inbox. */
import nodemailer from "nodemailer";
import { api } from "./api.ts";
import { openInbox } from "./inbox.ts";
import { notFound, pages } from "./pages.ts";
import { startSmtp } from "./smtp.ts";

interface OutgoingEmail {
  to: string;
  subject: string;
  text?: string;
  html?: string;
}

interface MailOptions {
  /** Holds the emails. */
  folder: string;
  /** The sender: `Name <address>`. */
  from: string;
  /** 0 is any free port. */
  smtpPort: number;
  /** Accepted emails survive a crash of the machine. */
  durable?: boolean;
}

export async function startMail({ folder, from, smtpPort, durable }: MailOptions) {
  const inbox = await openInbox(folder, { durable });
  const smtp = await startSmtp(inbox, smtpPort);
  // A connection per email would take ten times as long
  const transport = nodemailer.createTransport({ host: "127.0.0.1", port: smtp.port, ignoreTLS: true, pool: true });
  return {
    smtpPort: smtp.port,
    /** Sends an email over SMTP. Resolves when it is in the inbox. */
    async send(email: OutgoingEmail): Promise<void> {
      await transport.sendMail({ from, ...email });
    },
    /** Handles requests to the inbox: pages, and JSON below /api/. */
    async web(request: Request): Promise<Response> {
      // Rejects foreign host names that resolve to this machine (DNS rebinding)
      const { hostname } = new URL(request.url);
      if (!["127.0.0.1", "localhost", "[::1]"].includes(hostname)) return new Response("Forbidden", { status: 403 });
      return await api(inbox, request) ?? await pages(inbox, request) ?? await notFound();
    },
    async close() {
      transport.close();
      await smtp.close();
    },
  };
}
