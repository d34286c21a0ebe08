/** Converts HTML to the text of an email, with lists, links and tables. */
// @deno-types="npm:@types/html-to-text@9.0.4"
import { compile, type DomNode, type FormatCallback, type SelectorDefinition } from "html-to-text";

/** An isolate has two seconds of CPU time. */
const MAX_INPUT_CHARS = 2 ** 20;
const MAX_DEPTH = 64;

/** Whether the table of a row only places its cells. */
function isLayout({ parent }: DomNode): boolean {
  const table = parent?.name === "table" ? parent : parent?.parent;
  return /^(?:presentation|none)$/i.test(table?.attribs?.role ?? "");
}

const cellsOf = ({ children }: DomNode) => (children ?? []).filter(({ name }) => name === "td" || name === "th");

/** Cells are not aligned: padding, or a colspan, can turn a few kilobytes of HTML into gigabytes of text. */
const formatRow: FormatCallback = (row, walk, builder) => {
  if (isLayout(row)) {
    for (const cell of cellsOf(row)) {
      if (!cell.children?.length) continue; // would be an empty line
      builder.openBlock({ leadingLineBreaks: 1 });
      walk([cell], builder);
      builder.closeBlock({ trailingLineBreaks: 1 });
    }
    return;
  }
  builder.openBlock({ leadingLineBreaks: 1 });
  cellsOf(row).forEach((cell, n) => {
    if (n > 0) builder.addInline(" | ");
    walk([cell], builder);
  });
  builder.closeBlock({ trailingLineBreaks: 1 });
};

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"].map((selector): SelectorDefinition => ({
  selector,
  options: { uppercase: false },
}));
const lines = ["caption", "center", "dt", "dd", "figure", "figcaption"].map((selector): SelectorDefinition => ({
  selector,
  format: "block",
  options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
}));

const convert = compile({
  wordwrap: false, // mail programs wrap
  limits: { maxDepth: MAX_DEPTH },
  formatters: { row: formatRow },
  selectors: [
    ...headings,
    ...lines,
    { selector: "a", options: { hideLinkHrefIfSameAsText: true, linkBrackets: ["(", ")"] } },
    { selector: "img", format: "skip" },
    { selector: "table", format: "paragraph" },
    { selector: "dl", format: "paragraph" },
    { selector: "tr", format: "row" },
  ],
});

/** The text of sanitized HTML. */
export const toFormattedText = (html: string): string =>
  convert(html.slice(0, MAX_INPUT_CHARS)).replace(/^\n+/, "").trimEnd();
