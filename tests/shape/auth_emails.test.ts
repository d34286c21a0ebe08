// Auth's emails carry a code, and a link to a page that acts on its button. A GET of ConfirmationURL would confirm, and
// mail scanners send one.
import { deepStrictEqual as deepEqual, doesNotMatch, ok } from "node:assert";
import { join } from "node:path";
import { parse, type TomlTable } from "smol-toml";
import { repository } from "../../local/host/project.ts";

/** The type that verifyOtp() takes, by template. */
const TYPES: Record<string, string> = {
  confirmation: "signup",
  email_change: "email_change",
  invite: "invite",
  magic_link: "magiclink",
  recovery: "recovery",
};

const config = parse(await Deno.readTextFile(join(repository, "supabase/config.toml")));
const declared = ((config.auth as TomlTable).email as TomlTable).template as Record<string, { content_path: string }>;

Deno.test("config.toml declares a template for each email of Auth that has a link", () => {
  const paths = Object.fromEntries(Object.entries(declared).map(([name, { content_path }]) => [name, content_path]));
  deepEqual(
    paths,
    Object.fromEntries(Object.keys(TYPES).sort().map((name) => [name, `./supabase/templates/${name}.html`])),
  );
});

for (const [name, type] of Object.entries(TYPES)) {
  Deno.test(`the template ${name} carries the code and a link to the confirmation page, and no ConfirmationURL`, async () => {
    const html = await Deno.readTextFile(join(repository, declared[name].content_path));
    doesNotMatch(html, /ConfirmationURL/);
    ok(html.includes("<strong>{{ .Token }}</strong>"));
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url);
    deepEqual(links, [`{{ .SiteURL }}/auth/confirm#token_hash={{ .TokenHash }}&amp;type=${type}`]);
  });
}
