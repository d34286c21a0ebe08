/**
 * ownership_codes: the owner of a locked feed is to get a code. It is made here and stays nowhere but in the mail: the
 * database keeps a digest, keyed so that a million guesses do not fit all of them. Each attempt makes another, and the last one counts.
 */
import { createHash, randomInt } from "node:crypto";
import { z } from "zod";
import { serviceSql } from "../../database/db.ts";
import type { Job } from "../job.ts";
import { sendOrFail } from "../send_email.ts";
import { type OwnershipCode, renderOwnershipCode } from "../../mail/ownership_code.ts";

const schema = z.object({ type: z.literal("ownership_code"), import_id: z.guid() });

interface Due extends OwnershipCode {
  /** In hex. */
  codeKey: string;
}

export const sendOwnershipCode: Job<z.infer<typeof schema>> = {
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
    if (!expires) return; // it waits for no code any more
    await sendOrFail(renderOwnershipCode(due, code, expires));
  },
};
