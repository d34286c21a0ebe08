// Which values the variables of the functions accept.
import { deepStrictEqual as deepEqual } from "node:assert";
import { Buffer } from "node:buffer";
import { Variables } from "../../functions/runtime/variables.ts";
import { VAPID } from "../push/environment.ts";

const secret = (text: string) => `whsec_${btoa(text)}`;
const zero = Buffer.alloc(32).toString("base64url"), high = Buffer.alloc(32, 255).toString("base64url");

const VALUES: Record<string, { accepted: string[]; rejected: string[] }> = {
  SUPABASE_DB_URL: {
    accepted: ["postgres://a:%25@h:1/d", "postgresql://h"],
    rejected: ["http://h", "", "postgres://a:50%@h"],
  },
  SUPABASE_SECRET_KEYS: { accepted: ['{"any":"key"}'], rejected: ["{}", '{"default":""}', "key", "[]"] },
  SUPABASE_JWKS: { accepted: ['{"keys":[]}', '{"keys":[{"kty":"EC"}]}'], rejected: ["{}", '{"keys":[{}]}', "x"] },
  WORKER_SECRET: { accepted: ["x".repeat(16)], rejected: ["x".repeat(15), ""] },
  DATABASE_CA: {
    accepted: ["-----BEGIN CERTIFICATE-----\nMII", "-----BEGIN CERTIFICATE-----\\nMII"],
    rejected: ["MII", "-----BEGIN PRIVATE KEY-----\nMII"],
  },
  DATABASE_CONNECTIONS: { accepted: ["2", "10", "50"], rejected: ["1", "51", "0", "4.5", "many"] },
  TRUSTED_PROXY_HOPS: { accepted: ["1", "9"], rejected: ["0", "1.5", "10"] },
  SMTP_URL: { accepted: ["smtps://someone:secret@mail.test:465", "smtp://h"], rejected: ["http://mail.test", "mail"] },
  MAIL_FROM: {
    accepted: ["Casts <casts@mail.test>", "casts@mail.test"],
    rejected: ["casts", "Casts <casts>", "a@mail.test\r\nBcc: b@mail.test", "a@mail.test, b@mail.test"],
  },
  RESEND_API_KEY: { accepted: ["re_key"], rejected: ["key", "re_a b"] },
  RESEND_WEBHOOK_SECRET: { accepted: [secret("the secret")], rejected: ["re_123", "whsec_a"] },
  STRIPE_SECRET_KEY: { accepted: ["sk_test_1", "rk_live_1"], rejected: ["pk_test_1"] },
  STRIPE_WEBHOOK_SECRET: { accepted: ["whsec_1"], rejected: ["secret"] },
  STRIPE_API_URL: { accepted: ["http://127.0.0.1:1"], rejected: ["stripe"] },
  VAPID_PRIVATE_KEY: { accepted: [VAPID.privateKey], rejected: ["short", zero, high] },
  VAPID_SUBJECT: {
    accepted: [
      "mailto:push@casts.test",
      "https://casts.test",
      "mailto:a@casts.test?subject=Push",
      "https://casts.test/x",
    ],
    rejected: [
      "push@casts.test",
      "mailto:you@example.com",
      "mailto:ops@localhost",
      "mailto:ops@Castbase.LOCAL",
      "mailto:ops@casts",
      "https://localhost/push",
      "https://casts.internal",
      "https://[",
    ],
  },
};

Deno.test("each variable accepts values of its form, and no others", () => {
  for (const [name, { accepted, rejected }] of Object.entries(VALUES)) {
    const schema = Variables.shape[name as keyof typeof Variables.shape];
    const accepts = (value: string) => schema.safeParse(value).success;
    deepEqual([accepted.filter((value) => !accepts(value)), rejected.filter(accepts)], [[], []], name);
  }
});

Deno.test("parameters of a database URL are left out, except the name of the connection", () => {
  const read = (url: string) => Variables.shape.DATABASE_POOLER_URL.parse(url);
  deepEqual(read("postgres://a:b@h:6543/d?pgbouncer=true&sslmode=require"), "postgres://a:b@h:6543/d");
  deepEqual(read("postgres://h/d?x=1&application_name=some%20test"), "postgres://h/d?application_name=some%20test");
});
