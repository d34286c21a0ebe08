/** The stack's mail: a sender for the services, an SMTP server that keeps all, and an inbox to read it in. */
import nodemailer from "nodemailer";
import { api } from "./api.ts";
import { openInbox } from "./inbox.ts";
import { notFound, pages } from "./pages.ts";
import { startSmtp } from "./smtp.ts";

export interface Outgoing {
  to: string;
  subject: string;
  text?: string;
  html?: string;
}

export interface MailOptions {
  /** Keeps the mails. */
  folder: string;
  /** 0 is any free one. */
  smtpPort: number;
  /** A mail that was taken survives a crash of the machine. */
  durable?: boolean;
}

export async function startMail({ folder, smtpPort, durable }: MailOptions) {
  const from = "Castbase <noreply@castbase.local>";
  const inbox = await openInbox(folder, { durable });
  const smtp = await startSmtp(inbox, smtpPort);
  // Pooled: a connection for every mail would take ten times as long
  const transport = nodemailer.createTransport({ host: "127.0.0.1", port: smtp.port, ignoreTLS: true, pool: true });
  return {
    smtpPort: smtp.port,
    from,
    /** Sends a mail over SMTP; resolves when it is in the inbox. */
    async send(mail: Outgoing): Promise<void> {
      await transport.sendMail({ from, ...mail });
    },
    /** Answers the inbox's own port: pages for people, JSON under /api/. */
    async web(request: Request): Promise<Response> {
      // A name that someone else points at this machine (DNS rebinding) gets nothing to read
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
