/** Hands a job's mail over. What the server will never take goes to the dead-letter queue at once. */
import { type Email, isPermanentRejection, sendEmail, type SmtpError } from "../mail/smtp.ts";
import { FinalFailure } from "./job.ts";

export async function deliver(mail: Email): Promise<void> {
  try {
    await sendEmail(mail);
  } catch (error) {
    throw isPermanentRejection(error as SmtpError)
      ? new FinalFailure("The mail is refused for good", { cause: error })
      : error;
  }
}
