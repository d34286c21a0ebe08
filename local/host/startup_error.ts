/** A reason that the user can solve, as one message. Any other error is a fault of the stack. */
export class StartupError extends Error {}

const DISK_FULL = "the disk is full; free some space";
const NOT_A_FOLDER = "a file has that name; move it away";
const REASONS: Record<string, string> = {
  EACCES: "permission denied; let this user read and write there",
  EPERM: "permission denied; let this user read and write there",
  EROFS: "the file system is read-only",
  ENOSPC: DISK_FULL,
  EDQUOT: "the disk quota is used up; free some space",
  EEXIST: NOT_A_FOLDER,
  ENOTDIR: NOT_A_FOLDER,
};

/** Explains a StartupError, an error of the system or a full database; returns undefined for other errors. */
export function explain(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof StartupError) return cause.message;
    const { code = "", message } = cause as Error & { code?: string };
    const path = /['"‘]([^'"’]*\/[^'"’]*)['"’]/.exec(message)?.[1];
    const reason = REASONS[code] ?? Object.entries(PROGRAM_MESSAGES).find(([text]) => message.includes(text))?.[1];
    if (reason) return `${path ?? "A file"} cannot be used: ${reason}.`;
    if (code === "53100") return `The database cannot write: ${DISK_FULL}.`;
    if (code === "EADDRINUSE") return "A port of the stack is in use. Stop the other program first.";
  }
}

/** Messages of the programs that the stack runs, in the C locale. */
const PROGRAM_MESSAGES: Record<string, string> = {
  "Permission denied": REASONS.EACCES,
  "Operation not permitted": REASONS.EPERM,
  "Read-only file system": REASONS.EROFS,
  "No space left on device": REASONS.ENOSPC,
  "Disk quota exceeded": REASONS.EDQUOT,
  "Not a directory": REASONS.ENOTDIR,
};
