/** npm run vapid: prints a new key pair for push messages, as lines of an environment file. */
// @deno-types="npm:@types/web-push@3.6.4"
import webPush from "web-push";

const { privateKey, publicKey } = webPush.generateVAPIDKeys();

console.log(`# Secrets of the edge functions: supabase secrets set VAPID_PRIVATE_KEY=… VAPID_SUBJECT=…
# Keep the private key: browsers are subscribed with this pair, and another one ends all push subscriptions.
# VAPID_SUBJECT is an address by which push services can reach you: mailto: or https:. The functions ignore this one.
# Front ends read the public key from GET /api/notifications/push-subscriptions:
# ${publicKey}
VAPID_PRIVATE_KEY=${privateKey}
VAPID_SUBJECT=mailto:you@example.com`);
