// How long fuzz, race and kill tests go on: short in npm test, whole in npm run test:faults.
const whole = Deno.env.get("CASTBASE_TESTS") === "whole";

/** The first number in npm test, the second in npm run test:faults. */
export const scaled = (short: number, long: number): number => whole ? long : short;
