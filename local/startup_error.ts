/** Why a stack cannot start, as one sentence for the person who asked for it; anything else thrown is a fault of ours. */
export class CannotStart extends Error {}

const DISK_FULL = "the disk is full: free some space";
const NOT_A_FOLDER = "a file has that name: move it away";
const REASONS: Record<string, string> = {
  EACCES: "permission denied: let this user read and write there",
  EPERM: "permission denied: let this user read and write there",
  EROFS: "the file system is read-only",
  ENOSPC: DISK_FULL,
  EDQUOT: "the disk quota is used up: free some space",
  EEXIST: NOT_A_FOLDER,
  ENOTDIR: NOT_A_FOLDER,
};

/** The sentence for what a person can put right: an error of ours, of the system, or of a full database. */
export function sentenceOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof CannotStart) return cause.message;
    const { code = "", message } = cause as Error & { code?: string };
    const path = /['"‘]([^'"’]*\/[^'"’]*)['"’]/.exec(message)?.[1];
    const reason = REASONS[code] ?? Object.entries(SAID).find(([said]) => message.includes(said))?.[1];
    if (reason) return `${path ?? "A file"} cannot be used: ${reason}.`;
    if (code === "53100") return `The database cannot write: ${DISK_FULL}.`;
    if (code === "EADDRINUSE") return "A port of the stack is in use by another program: stop that one first.";
  }
}

/** What programs that we run say, in the C locale. */
const SAID: Record<string, string> = {
  "Permission denied": REASONS.EACCES,
  "Operation not permitted": REASONS.EPERM,
  "Read-only file system": REASONS.EROFS,
  "No space left on device": REASONS.ENOSPC,
  "Disk quota exceeded": REASONS.EDQUOT,
  "Not a directory": REASONS.ENOTDIR,
};
