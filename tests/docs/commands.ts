// The commands in a document: lines of its shell blocks, and inline code that starts like one.
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";

const PROGRAMS = "npm|npx|node|deno|bash|sh|git|curl|supabase|stripe";
const INLINE = new RegExp(`^(?:[A-Z_]+=\\S+ )*(?:${PROGRAMS}) \\S`);

export const readDocument = (file: string) => Deno.readTextFileSync(join(repository, file));

/** The blocks of a language, without their indentation. */
export const blocksOf = (document: string, language: string): string[] =>
  [...document.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^\\1\`\`\`$`, "gms"))]
    .map(([, indent, text]) => text.replaceAll(new RegExp(`^${indent}`, "gm"), ""));

/** Inline code, on one line each. Generated tables hold none that an operator types. */
export const inlineCodeOf = (document: string): string[] =>
  [
    ...document.replaceAll(/<!-- generated: .*?<!-- end -->/gs, "").replaceAll(/^ *```.*?^ *```$/gms, "")
      .matchAll(/`([^`]+)`/g),
  ].map(([, code]) => code.replaceAll(/\s+/g, " "));

/** Every command of a document, without its comment. */
export function commandsOf(document: string): string[] {
  const lines = blocksOf(document, "sh").join("").split("\n").map((line) => line.replace(/(^|\s+)#\s.*$/, ""));
  const inline = inlineCodeOf(document).filter((code) => INLINE.test(code));
  return [...new Set([...lines, ...inline])].filter(Boolean);
}
