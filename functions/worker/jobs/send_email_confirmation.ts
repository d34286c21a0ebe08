/**
 * email_confirmations: emails a user the code that lifts the suppression of their address. The code exists only in the
 * email. The attempts of one request have the same code.
 */
import { Buffer } from "node:buffer";
import { z } from "zod";
import { service } from "../../database/service.ts";
import { type EmailConfirmation, renderEmailConfirmation } from "../../mail/email_confirmation.ts";
import { deriveCode } from "../../mail/email_tokens.ts";
import { sendEmail } from "../../mail/send_email.ts";
import { readTexts } from "../../mail/email_texts.ts";
import type { Job } from "../job.ts";

const schema = z.object({ user_id: z.guid() });

interface DueConfirmation extends EmailConfirmation {
  /** Hexadecimal; random for each request. */
  codeKey: string;
}

export const sendEmailConfirmationJob: Job<z.infer<typeof schema>> = {
  queue: "email_confirmations",
  schema,
  batchSize: 4,
  visibilityTimeoutSeconds: 120,
  concurrency: 4,
  groupBy: ({ user_id }) => user_id,
  async run([{ user_id: userId }]) {
    const due = await service("email_confirmation_email", { userId }) as DueConfirmation | null;
    if (!due) return;
    const { code, digest } = deriveCode("email_confirmation", due.codeKey);
    const codeKey = Buffer.from(due.codeKey, "hex");
    if (!await service("issue_email_confirmation", { userId, codeKey, digest })) return; // a newer request replaced it
    const email = renderEmailConfirmation(due, await readTexts(due.language), code);
    await sendEmail(email, `email_confirmation/${userId}/${digest.toString("hex").slice(0, 32)}`);
  },
};
