/** Hands a job's mail over. What the server will never take goes to the dead-letter queue at once. */
import { type Email, isPermanentRejection, sendEmail, type SmtpError } from "../mail/smtp.ts";
import { PermanentError } from "./job.ts";

export async function sendOrFail(mail: Email): Promise<void> {
  try {
    await sendEmail(mail);
  } catch (error) {
    throw isPermanentRejection(error as SmtpError)
      ? new PermanentError("The mail is refused for good", { cause: error })
      : error;
  }
}
