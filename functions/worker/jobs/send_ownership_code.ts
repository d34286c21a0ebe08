/**
 * ownership_codes: emails the owner of a locked feed a code. The code exists only in the email; the database stores a
 * keyed digest, because a million guesses would find an unkeyed one. Each attempt makes a new code, and only the last
 * one is valid.
 */
import { createHash, randomInt } from "node:crypto";
import { z } from "zod";
import { serviceSql } from "../../database/db.ts";
import type { Job } from "../job.ts";
import { sendOrFail } from "../send_email.ts";
import { type OwnershipCodeEmail, renderOwnershipCode } from "../../mail/ownership_code.ts";

const schema = z.object({ type: z.literal("ownership_code"), import_id: z.guid() });

interface Due extends OwnershipCodeEmail {
  /** Hexadecimal. */
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
    const [{ due }] = await serviceSql<{ due: Due | null }[]>`select private.ownership_code_email(${id}) as due`;
    if (!due) return;
    const code = String(randomInt(1_000_000)).padStart(6, "0");
    const digest = createHash("sha256").update(due.codeKey, "hex").update(code).digest("hex");
    const [{ expires }] = await serviceSql<{ expires: Date | null }[]>`
      select private.issue_ownership_code(${id}, decode(${digest}, 'hex')) as expires`;
    if (!expires) return; // the import no longer waits for a code
    await sendOrFail(renderOwnershipCode(due, code, expires));
  },
};
