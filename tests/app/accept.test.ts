// Which language a reader prefers, by Accept-Language.
import { strictEqual as equal } from "node:assert";
import { preferredLanguage } from "../../functions/app/accept.ts";

Deno.test("preferredLanguage() takes the highest weight among the languages that have texts", () => {
  for (
    const [header, language] of [
      [undefined, "en"],
      ["", "en"],
      ["*", "en"],
      ["de-CH,de;q=0.9,en;q=0.8", "de"],
      ["en;q=0.5, ja", "ja"],
      ["fi, sv;q=0.9, fr;q=0.8, en;q=0.7", "fr"],
      ["pt-BR;q=0, es", "es"],
      ["fi", "en"],
      [`${"x".repeat(4000)},ar`, "ar"],
    ] as const
  ) {
    equal(preferredLanguage(header), language, header);
  }
});
