/** The IP address of a request's client: the hop that the platform's proxy appended, never one that a client sent. */
export const clientAddress = (request: Request): string =>
  request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim().slice(0, 64) || "unknown";
