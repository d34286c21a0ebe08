/** An error that a function returned instead of raising it, because it keeps a change (private.error_response). */
export class ReturnedError extends Error {
  readonly code: string;
  readonly hint?: string;
  readonly detail?: string;

  constructor(text: string) {
    const { code, message, details, hint } = JSON.parse(text);
    super(message);
    this.code = code;
    this.hint = hint ?? undefined;
    this.detail = details ?? undefined;
  }
}
