// The key pair of push messages in a test's own process.
import { UNREACHABLE_ENV } from "../environment.ts";

export const VAPID = {
  publicKey: "BBwStoI8xWDTxB2s3O6Qby6MU8GEV_2GnVbxGt31b1Jr4vMKd0edhvXAiY3evlptuhuG2MpM0m3edxZiJ7lJlSA",
  privateKey: "Gv7p-6lIGD3R5TXaAeAyHipJcTVO9WRnS78NnvWYVKE",
  subject: "mailto:push@casts.test",
};
/** The pair that it replaced. */
export const PREVIOUS_VAPID = {
  publicKey: "BN2EvxnU0qt8HqP_2DUZ9qqW6ve6PQwWC5eLx7sU6ktwHwPYD8IGGegb489oNXgr7H3vwqfvztGMXZBpSyXliMo",
  privateKey: "h2THvlwvMGAUv_Ay5Vfxvi6J2KLCYzv87A8sAyjbFeM",
};
export const VAPID_ENV = { VAPID_PRIVATE_KEY: VAPID.privateKey, VAPID_SUBJECT: VAPID.subject };

/** Without a database. */
export const PUSH_ENV = {
  ...UNREACHABLE_ENV,
  ...VAPID_ENV,
  PREVIOUS_VAPID_PRIVATE_KEY: PREVIOUS_VAPID.privateKey,
};
