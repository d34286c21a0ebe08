/**
 * ownership_codes: emails the owner of a locked feed a code. The code exists only in the email. The attempts of one
 * request have the same code.
 */
import { z } from "zod";
import { service } from "../../database/service.ts";
import { deriveCode } from "../../mail/email_tokens.ts";
import { type OwnershipCodeEmail, renderOwnershipCode } from "../../mail/ownership_code.ts";
import { sendEmail } from "../../mail/send_email.ts";
import { readTexts } from "../../mail/email_texts.ts";
import type { Job } from "../job.ts";

const schema = z.object({ type: z.literal("ownership_code"), import_id: z.guid() });

interface DueCode extends OwnershipCodeEmail {
  /** Hexadecimal; random for each request. */
  codeKey: string;
}

export const sendOwnershipCodeJob: Job<z.infer<typeof schema>> = {
  queue: "ownership_codes",
  schema,
  batchSize: 4,
  visibilityTimeoutSeconds: 120,
  concurrency: 4,
  groupBy: ({ import_id }) => import_id,
  async run([{ import_id: id }]) {
    const due = await service("ownership_code_email", { importId: id }) as DueCode | null;
    if (!due) return;
    const { code, digest } = deriveCode("ownership_code", due.codeKey);
    const expires = await service("issue_ownership_code", { importId: id, digest });
    if (!expires) return; // the import no longer waits for a code
    const email = renderOwnershipCode(due, await readTexts(due.language), code, expires);
    await sendEmail(email, `ownership_code/${id}/${digest.toString("hex").slice(0, 32)}`);
  },
};
