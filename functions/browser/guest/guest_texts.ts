/** The texts of the guest page's script, which the page contains in its language. */
import { fill, type Texts } from "../../text/languages/texts.ts";

export const texts: Texts["guestScript"] = JSON.parse(document.getElementById("texts")!.textContent!);

/** Of the page. */
export const language = document.documentElement.lang;

/** Fills a text with names, each in the direction of its own script. */
export const fillIn = (text: string, ...values: string[]) => fill(text, ...values.map(isolate));

/** First strong isolate, where the value could disturb the text around it. */
export const isolate = (value: string) =>
  document.documentElement.dir === "rtl" || /[\u0590-\u08ff]/.test(value) ? `\u2068${value}\u2069` : value;
