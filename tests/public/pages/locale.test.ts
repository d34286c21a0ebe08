import assert from "node:assert/strict";
import { localeOf } from "../../../functions/public/pages/locale.ts";

Deno.test("localeOf returns language and territory of a tag, or null if it is none", () => {
  const locales = ["de", "de-AT", "pt-br", "zh-Hans-HK", "not a tag"].map(localeOf);
  assert.deepEqual(locales, ["de_DE", "de_AT", "pt_BR", "zh_HK", null]);
});
