/** The message of an error, then those of its causes, for logs and dead letters. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause ? `${error.message} (${describeError(error.cause)})` : error.message;
}
