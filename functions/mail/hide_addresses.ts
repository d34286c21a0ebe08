/** Replaces email addresses, because logs and dead letters keep the messages of errors. */
export const hideAddresses = (text: string) => text.replace(/<?[^\s<>"']+@[^\s<>"']+>?/g, "<address>");
