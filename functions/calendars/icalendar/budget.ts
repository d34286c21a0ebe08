/** The budget of computing time that a reading of calendars has. */
import { CalendarError } from "../calendar_error.ts";

/** Takes this many steps from a budget; throws CalendarError when it is used up. */
export type Spend = (steps: number) => void;

/** Some 100 ns each: a second, of the two that the platform allows. */
const MAX_STEPS = 10_000_000;

/** What an exception costs that is caught, as for a line that cannot be read. */
export const EXCEPTION_STEPS = 100;

export function createBudget(): Spend {
  let left = MAX_STEPS;
  return (steps) => {
    left -= steps;
    if (!(left >= 0)) {
      throw new CalendarError("malformed", "The calendar has too many events, or events that repeat too many times");
    }
  };
}
