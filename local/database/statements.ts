// The statements of a SQL file.

/** What hides a semicolon: comments, quoted text and names, dollar-quoted bodies, and bodies of standard SQL. */
const HIDING = [
  /--[^\n]*/,
  /\/\*[^]*?\*\//,
  /\be'(?:[^'\\]|\\.|'')*'/,
  /'(?:[^']|'')*'/,
  /"(?:[^"]|"")*"/,
  /(\$\w*\$)[^]*?\1/,
  /\bbegin\s+atomic\b[^]*?^\s*end\b/,
].map(({ source }) => source).join("|");

/** Splits the text of a file into statements, without the comments before them and their semicolons. */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let start = 0;
  const add = (end: number) => {
    const statement = text.slice(start, end).replace(/^(?:\s+|--[^\n]*|\/\*[^]*?\*\/)*/, "").trim();
    if (statement) statements.push(statement);
    start = end + 1;
  };
  for (const { 0: found, index } of text.matchAll(new RegExp(`${HIDING}|;`, "gim"))) if (found === ";") add(index);
  add(text.length);
  return statements;
}

/** Whether Postgres rejects the statement in a transaction. The Supabase CLI runs it alone, and commits what precedes it. */
export const runsOutsideTransactions = (statement: string): boolean =>
  /^(create\s+(unique\s+)?index\s+concurrently|drop\s+index\s+concurrently|reindex\s.*\sconcurrently|vacuum)\b/i
    .test(statement);
