// Prose is plain technical English: no file contains the words below, which translated sentences bring along.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { sourceFiles } from "../source_files.ts";

/** Each with a replacement, which the failure prints. */
const WORDS: Record<string, string> = {
  "anew": "again, or a verb with re-",
  "any ?more": "no longer",
  "(?:are|is|was|were) gone": "deleted, closed, removed",
  "as good as": "like, almost",
  "behind the grants": "privileged implementation",
  "by the clock": "by cron, by a timeout",
  "(?:anybody|everybody|nobody|somebody)": "the actor: client, caller, member, worker",
  "contracts?": "the rule itself: no text refers to a document outside the repository",
  "the design": "the rule itself",
  "farewell": "shutdown",
  "for good": "permanently",
  "go(?:es)? on": "continues",
  "hears?": "receives",
  "in vain": "a failed attempt",
  "(?<!\\bthere )(?:is|are|was|were) no (?!better|earlier|fewer|larger|later|longer|more|newer|older|other|smaller|such|worse)\\w+":
    "is not a",
  "letPass": "drain",
  "muddled": "wrong, corrupt",
  "(?:a|the|this|that|each|every|one) mail(?! ?(?:server|box|app|client|service|address))": "email",
  "on (?:its|their|the) way(?= out\\b)": "in transit, pending deletion",
  "otherwise": "if not, without it, or",
  "puts? back": "restore, set back",
  "so (?:are|did|do|does|is|was|were) (?:a|an|the|its|their|every|each|one|this|that|new)": "as well",
  "stands? for": "means, represents",
  "stays out": "is excluded",
  "takes? (?:the |)place of": "replaces",
  "takes? part(?! in\\b)": "is a member, is on the roster",
  "the own": "their own, its own",
  "too often": "too many requests",
  "what (?:goes|stands)": "a noun",
  "whatever": "regardless of, any",
  "whichever": "either, the first of",
  "wherever": "in every … that",
  "whoever": "the actor: client, caller, member, worker",
};

const PROSE = /\.(?:css|html|md|mjs|sql|toml|ts)$/;

/** Generated, or kept verbatim from another project. */
const EXCLUDED = /^(?:supabase\/migrations\/|types\/database\.ts$|local\/extensions\/|tests\/shape\/words\.test\.ts$)/;

/** Between two words: a line may end there, in a comment too. */
const GAP = "\\s+(?:(?://|--|\\*) *)?";

/** A word of its own: not part of a name, an address or a path, and not a quoted value. */
const patternOf = (words: string) =>
  new RegExp(
    `(?<![\\w@:/.$-])(?!(?<=["'\`])\\w+["'\`])(?:${words.replaceAll(" ", GAP)})(?![\\w@/(]|-\\w|\\.\\w)`,
    "gi",
  );

/** Declared names of TypeScript that do not say what the value is. */
const VAGUE_NAME = {
  pattern: /\b(?:const|let|function) [[{]?(?:answers?|asked|heard|said|says?|told)\b/g,
  advice: "a noun of the field: response, request, message, body, output, events",
};

const PATTERNS = [
  ...Object.entries(WORDS).map(([word, advice]) => ({ pattern: patternOf(word), advice })),
  VAGUE_NAME,
];

/** The words in a text, with their line numbers. */
function check(text: string): string[] {
  return PATTERNS.flatMap(({ pattern, advice }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) =>
      `${text.slice(0, index).split("\n").length}: "${found}" (write: ${advice})`
    )
  );
}

Deno.test("the word check finds a word in a sentence and across lines, but not in a name or value", () => {
  deepEqual(check("// Nobody reads it\n// once it is\n// gone.\n'nobody' nobody@a.example nobody-id $nobody is.gone"), [
    '2: "is\n// gone" (write: deleted, closed, removed)',
    '1: "Nobody" (write: the actor: client, caller, member, worker)',
  ]);
});

Deno.test("the word check finds a vague name where it is declared", () => {
  deepEqual(check("const said = 1;\nlet [told] = rows;\nconst saidBy = {}, row = { said };"), [
    `1: "const said" (write: ${VAGUE_NAME.advice})`,
    `2: "let [told" (write: ${VAGUE_NAME.advice})`,
  ]);
});

Deno.test("sources, tests and documents contain no words of translated prose", () => {
  const files = sourceFiles([""], PROSE).filter(({ path }) => !EXCLUDED.test(path));
  ok(files.length > 900, `${files.length} files`);
  const found = files.flatMap(({ path, text }) => check(text).map((problem) => `${path}:${problem}`));
  equal(found.join("\n"), "");
});
