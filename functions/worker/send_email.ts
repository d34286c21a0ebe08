/** Hands a job's mail over. What the server will never take goes to the dead-letter queue at once. */
import { isRefusedForGood, type Mail, type MailError, sendMail } from "../mail/smtp.ts";
import { FinalFailure } from "./job.ts";

export async function deliver(mail: Mail): Promise<void> {
  try {
    await sendMail(mail);
  } catch (error) {
    throw isRefusedForGood(error as MailError)
      ? new FinalFailure("The mail is refused for good", { cause: error })
      : error;
  }
}
