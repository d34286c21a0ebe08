/** import_files: copies a transcript, the chapters or an image of an imported feed. */
import { logError } from "../../runtime/log.ts";
import { JobLostError } from "../../runtime/job_run.ts";
import { beginFile, failFile, FileMessage } from "../../imports/files/claimed_file.ts";
import { copyFile } from "../../imports/files/copy_file.ts";
import { PermanentImportError, toUserFacingError } from "../../imports/import_errors.ts";
import { startHeartbeat } from "../heartbeat.ts";
import type { Job } from "../job.ts";

export const importFileJob: Job<FileMessage> = {
  queue: "import_files",
  schema: FileMessage,
  batchSize: 1,
  visibilityTimeoutSeconds: 60,
  concurrency: 2, // a file is checked at once, and an isolate has two seconds of CPU
  async run([message], context) {
    try {
      await using heartbeat = startHeartbeat(context);
      const file = await beginFile(message);
      if (file) await copyFile(message, file, { signal: heartbeat.signal, deadline: context.deadline });
    } catch (error) {
      if (error instanceof JobLostError) throw error;
      const userError = toUserFacingError(error, context.attempt, "The file could not be copied");
      if (userError !== error) logError({ ...message, error });
      if (!(userError instanceof PermanentImportError)) throw userError;
      await failFile(message, userError.message);
    }
  },
};
