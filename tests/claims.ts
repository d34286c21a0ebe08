/** The claims of a user's token, as the functions pass them to the database: the user signed in just now. */
export const claimsOf = (sub: string) =>
  JSON.stringify({
    role: "authenticated",
    sub,
    amr: [{ method: "password", timestamp: Math.floor(Date.now() / 1000) }],
  });
