/** A reason that the operator can act on, printed without a stack. */
export class Failure extends Error {}

/** A failure with one line per problem. */
export const failureOf = (title: string, problems: string[]) =>
  new Failure([title, ...problems.map((problem) => `- ${problem}`)].join("\n"));
