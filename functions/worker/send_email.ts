/** Sends a job's email; a permanent rejection moves the message to the dead-letter queue. */
import { type Email, isPermanentRejection, sendEmail, type SmtpError } from "../mail/smtp.ts";
import { PermanentError } from "../app/job_run.ts";

export async function sendOrFail(email: Email): Promise<void> {
  try {
    await sendEmail(email);
  } catch (error) {
    throw isPermanentRejection(error as SmtpError)
      ? new PermanentError("The mail server permanently rejected the message", { cause: error })
      : error;
  }
}
