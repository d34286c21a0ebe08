// Each command that the operator's documents print is run by a test, or has a reason why none can run it.
import { deepStrictEqual as deepEqual } from "node:assert";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { commandsOf, readDocument } from "./commands.ts";

const DEPLOY = "tests/scripts/deploy/deploy.test.ts", BY_HAND = "tests/scripts/deploy/documented_commands.test.ts";
const OPERATORS = "tests/scripts/operator_commands.test.ts";
const LOCAL = "tests/docs/local_commands.test.ts", RELEASE = "tests/docs/releasing.test.ts";
const OF_ALL_TESTS = "Reason: it runs every test";

/** The test that runs each command, or a reason. */
const PROOFS: Record<string, Record<string, string>> = {
  "docs/operating.md": {
    "npm run deploy -- --ref <project ref> --dry-run": DEPLOY,
    "npm run deploy -- --ref <project ref>": DEPLOY,
    "npm run deploy -- --ref <project ref> --yes": DEPLOY,
    "npm run deploy -- --ref <project ref> --environment staging --yes": DEPLOY,
    "npm run deploy": DEPLOY,
    "npx supabase secrets set --remote=<project ref> NAME=value": BY_HAND,
    "npx supabase secrets unset --remote=<project ref> NAME": BY_HAND,
    "npm run -s vapid > push.env": BY_HAND,
    "npx supabase secrets set --remote=<project ref> --env-file push.env": BY_HAND,
    "npm run vapid": "tests/scripts/vapid.test.ts",
    "CAPTCHA_SECRET=… npm run config:push -- --ref <project ref> --captcha": BY_HAND,
    'curl https://<ref>.supabase.co/auth/v1/recover -H "apikey: <publishable key>" -d \'{"email": "me@example.com"}\'':
      LOCAL,
    "npm run doctor": OPERATORS,
    'npm run doctor -- --remote "$DATABASE_URL"': OPERATORS,
    'npm run doctor -- --remote "$DATABASE_URL" --json': OPERATORS,
    "npm run queues": OPERATORS,
    "npm run queues -- list feed_invalidation": OPERATORS,
    "npm run queues -- list --request": OPERATORS,
    "npm run queues -- list --request REQUEST_ID": OPERATORS,
    "npm run queues -- show feed_invalidation 42": OPERATORS,
    "npm run queues -- retry feed_invalidation 42": OPERATORS,
    "npm run queues -- drop feed_invalidation 42": OPERATORS,
    "npm run queues -- pause storage_gc": OPERATORS,
    "npm run queues -- resume storage_gc": OPERATORS,
    "npm run worker": LOCAL,
    "npm run worker -- import_items": LOCAL,
    "npm run worker -- large_images": LOCAL,
    "deno run --allow-net --allow-env --allow-sys --allow-read functions/worker/standalone.ts import_items":
      "tests/docs/operating.test.ts",
    "npm ci": "Reason: it installs the packages of the tests; .ci/run begins with it",
  },
  "docs/releasing.md": {
    'npm version "$VERSION" --no-git-tag-version --allow-same-version': RELEASE,
    "npm run build && npm run api:release && npm run db:check && npm run lint:sql": RELEASE,
    "npm run db:check": RELEASE,
    "npm run lint:sql": RELEASE,
    "npm run release:check": RELEASE,
    'git commit --all --message "docs: release $VERSION"': RELEASE,
    'git tag --annotate "v$VERSION" --message "Castbase $VERSION"': RELEASE,
    "git push --follow-tags": RELEASE,
    'npx supabase db push --remote="$DATABASE_URL" --dry-run': RELEASE,
    'npx supabase db push --remote="$DATABASE_URL"': RELEASE,
    'npm ci && npx supabase functions deploy api public worker --use-api --remote="$PROJECT_REF"': BY_HAND,
    "npm run db:migration": RELEASE,
    "npm run db:migration -- <name>": RELEASE,
    "npm run db:migration -- <name> --allow-drops": RELEASE,
    "git checkout v<version>": RELEASE,
    "npm run deploy": DEPLOY,
    "npm start": "tests/local/stack/npm_start.test.ts",
    "npm run db:reset": "tests/local/database/reset.test.ts",
    "bash .ci/run": OF_ALL_TESTS,
    "npm run test:faults": OF_ALL_TESTS,
  },
};

for (const [document, proofs] of Object.entries(PROOFS)) {
  Deno.test(`each command of ${document} has a test that exists, or a reason`, () => {
    deepEqual(Object.keys(proofs).sort(), commandsOf(readDocument(document)).sort());
    const isProved = (proof: string) => proof.startsWith("Reason: ") || existsSync(join(repository, proof));
    deepEqual(Object.entries(proofs).filter(([, proof]) => !isProved(proof)), []);
  });
}
