/** Media RSS: https://www.rssboard.org/media-rss */
import * as format from "./value_formats.ts";
import type { Format } from "./value_formats.ts";
import type { ElementRule } from "./element_rule.ts";

/** Roles of https://www.ebu.ch/metadata/cs/web/ebu_RoleCodeCS_p.xml.htm, the scheme of credits that name none. */
const ROLES = new Set(
  ("actor/adaptor/anchor person/animal trainer/animator/announcer/armourer/art director/artist/assistant camera/" +
    "assistant chief lighting technician/assistant director/assistant producer/assistant visual editor/author/" +
    "broadcast assistant/broadcast journalist/camera operator/carpenter/casting/causeur/chief lighting technician/" +
    "choir/choreographer/clapper loader/commentary or commentator/commissioning broadcaster/composer/" +
    "computer programmer/conductor/consultant/continuity checker/correspondent/costume designer/dancer/" +
    "dialogue coach/director/director of photography/distribution company/draughtsman/dresser/dubber/editor/" +
    "ensemble/executive producer/expert/fight director/floor manager/focus puller/foley artist/foley editor/" +
    "foley mixer/graphic assistant/graphic designer/greensman/grip/hairdresser/illustrator/interviewed guest/" +
    "interviewer/key character/key grip/key talents/leadman/librettist/lighting director/lighting technician/" +
    "location manager/lyricist/make up artist/manufacturer/matte artist/music arranger/music group/musician/" +
    "news reader/orchestra/participant/performer/photographer/post/producer/production assistant/" +
    "production company/production department/production manager/production secretary/" +
    "programme production researcher/programme proposal/property manager/publishing company/puppeteer/" +
    "pyrotechnician/reporter/rigger/runner/scenario/scenic operative/script supervisor/second assistant camera/" +
    "second assistant director/second unit director/set designer/set dresser/sign language/singer/sound designer/" +
    "sound mixer/sound recordist/special effects/stunts/subtitles/technical director/term/translation/" +
    "transportation manager/treatment/treatment proposal/vision mixer/visual editor/visual effects/wardrobe/witness")
    .split("/"),
);

const EBU = "urn:ebu";

/** The specification's own schemes have the form of a URN, but lack its last part. */
const schemeOf = (isKnown: (scheme: string) => boolean): Format => (value, attribute) =>
  isKnown(value) ? value : format.URI(value, attribute);

const role: Format = (value, attribute) => {
  const isKnown = (attribute("scheme") ?? EBU) !== EBU ? value === value.toLowerCase() : ROLES.has(value);
  return isKnown ? value : undefined;
};

const hash: Format = (value, attribute) =>
  new RegExp(`^\\s*[0-9a-z]{${attribute("algo") === "sha-1" ? 40 : 32}}\\s*$`, "i").test(value) ? value : undefined;

const RATINGS = new Map(Object.entries({
  "urn:simple": /^(?:non)?adult$/,
  "urn:mpaa": /^(?:g|m|nc-17|pg|pg-13|r|x)$/,
  "urn:v-chip": /^(?:14\+|18\+|c|c8|g|pg|tv-14|tv-g|tv-ma|tv-pg|tv-y|tv-y7|tv-y7-fv)$/,
  "urn:icra":
    /^r \((?:[nsvlocx]z [01]|(?:n[a-c]|s[a-f]|v[a-j]|l[a-c]|o[a-h]|c[ab]|x[a-e]) 1)(?: (?:[nsvlocx]z [01]|(?:n[a-c]|s[a-f]|v[a-j]|l[a-c]|o[a-h]|c[ab]|x[a-e]) 1))*\)$/,
}));
const rating: Format = (value, attribute) => {
  const known = RATINGS.get(attribute("scheme") ?? "urn:simple");
  return !known || known.test(value.trim()) ? value.trim() : undefined;
};

const countries = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
const restriction: Format = (value, attribute) => {
  const trimmed = value.trim(), type = attribute("type");
  if (type === "uri") return format.URI(trimmed, attribute);
  if (type === "country") return trimmed.split(" ", 300).every(isCountry) ? trimmed : undefined;
  return ["", "all", "none"].includes(trimmed) ? trimmed : undefined;
};
const isCountry = (code: string) => /^[a-z]{2}$/i.test(code) && countries.of(code.toUpperCase()) !== undefined;

const TIME: Format = (value) => /^(?:\d+(?:\.\d+)?|\d+:\d\d:\d\d(?:\.\d+)?|now)$/.test(value) ? value : undefined;
const TEXT_TYPE = format.oneOf("plain", "html");
const size = { width: format.POSITIVE, height: format.POSITIVE };
const title: ElementRule = { text: format.anyText, attributes: { type: TEXT_TYPE }, isSingle: true };

export const media: Record<string, ElementRule> = {
  "media:adult": { text: format.BOOLEAN, isSingle: true },
  "media:category": { text: format.anyText, attributes: { label: format.anyText, scheme: format.URI } },
  "media:copyright": { text: format.anyText, attributes: { url: format.URI }, isSingle: true },
  "media:credit": { text: format.anyText, attributes: { role, scheme: schemeOf((scheme) => scheme === EBU) } },
  "media:description": title,
  "media:hash": { text: hash, attributes: { algo: format.oneOf("md5", "sha-1") } },
  "media:keywords": { text: format.anyText },
  "media:player": { attributes: { url: format.URI, ...size }, required: ["@url"] },
  "media:rating": { text: rating, attributes: { scheme: schemeOf((scheme) => RATINGS.has(scheme)) } },
  "media:restriction": {
    text: restriction,
    attributes: { relationship: format.oneOf("allow", "deny"), type: format.oneOf("country", "uri") },
    required: ["@relationship"],
  },
  "media:text": {
    text: format.anyText,
    attributes: { type: TEXT_TYPE, lang: format.LANGUAGE, start: TIME, end: TIME },
  },
  "media:thumbnail": { attributes: { url: format.URI, ...size, time: TIME }, required: ["@url"] },
  "media:title": title,
};
