// The shape of samples, and tags that samples of several registries have.
import type { Rule } from "../../functions/feed_report/rule.ts";

export interface Samples {
  place: Rule["place"];
  right: string[];
  wrong: string[];
}

export const of = (place: Rule["place"], right: string[], wrong: string[]): Samples => ({ place, right, wrong });
export const long = (length: number) => "é".repeat(length);
export const GUID = "917393e3-1b1e-5cef-ace4-edaa54e1f810";
export const remote = `<podcast:remoteItem feedGuid="${GUID}"/>`;
export const recipient = `<podcast:valueRecipient type="node" address="02d5" split="40"/>`;
export const value = (inside: string, attributes = `type="lightning" method="keysend"`) =>
  `<podcast:value ${attributes}>${inside}</podcast:value>`;
export const source = `<podcast:source uri="ipfs://QmX1"/>`;
export const alternate = (inside: string, attributes = `type="audio/opus"`) =>
  `<podcast:alternateEnclosure ${attributes}>${inside}</podcast:alternateEnclosure>`;
export const schedule = (attributes: string, text = "Weekly") =>
  `<podcast:updateFrequency ${attributes}>${text}</podcast:updateFrequency>`;
export const location = (attributes: string, name = "Austin") =>
  `<podcast:location ${attributes}>${name}</podcast:location>`;
