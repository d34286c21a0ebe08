// The duration of fuzz, race and kill tests: short in npm test, full in npm run test:faults.
const isFull = Deno.env.get("CASTBASE_TEST_SCALE") === "full";

/** The first number in npm test, the second in npm run test:faults. */
export const byScale = (short: number, long: number): number => isFull ? long : short;
