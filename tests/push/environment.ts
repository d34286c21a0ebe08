// The key pair of push messages in a test's own process.
import { UNREACHABLE_ENV } from "../environment.ts";

export const VAPID = {
  publicKey: "BBwStoI8xWDTxB2s3O6Qby6MU8GEV_2GnVbxGt31b1Jr4vMKd0edhvXAiY3evlptuhuG2MpM0m3edxZiJ7lJlSA",
  privateKey: "Gv7p-6lIGD3R5TXaAeAyHipJcTVO9WRnS78NnvWYVKE",
  subject: "mailto:push@casts.test",
};
export const VAPID_ENV = { VAPID_PRIVATE_KEY: VAPID.privateKey, VAPID_SUBJECT: VAPID.subject };

/** Without a database. */
export const PUSH_ENV = { ...UNREACHABLE_ENV, ...VAPID_ENV };
