/** The beginning of a server's message without email addresses, because logs and dead letters keep it. */
export const hideAddresses = (text: string) =>
  text.slice(0, MAX_LENGTH).replace(/<?[^\s<>"']+@[^\s<>"']*>?/g, "<address>");

/** The pattern takes quadratic time. */
const MAX_LENGTH = 2000;
