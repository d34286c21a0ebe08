// findSchemaBreaks() finds each kind of change that breaks clients, and accepts additions.
import { deepStrictEqual as deepEqual, throws } from "node:assert";
import { findSchemaBreaks, type Schema, type Schemas } from "../../../scripts/api_release/schema_breaks.ts";

type Case = [change: string, before: Schema, after: Schema, response: string[], request: string[]];

const text: Schema = { type: "string" }, number: Schema = { type: "number" }, none: Schema = { type: "null" };
const object = (properties: Record<string, Schema>, ...required: string[]): Schema => ({
  type: "object",
  properties,
  required,
});
const oneOf = (...values: unknown[]): Schema => ({ type: "string", enum: values });

/** What breaks readers of a response, and senders of a request. */
const cases: Case[] = [
  ["nothing", object({ a: text }, "a"), object({ a: text }, "a"), [], []],
  ["a description", text, { ...text, description: "New" } as Schema, [], []],
  ["another type", text, number, ["x may be number"], ["x may no longer be string"]],
  ["an integer in place of a number", number, { type: "integer" }, [], ["x may no longer be number"]],
  ["a number in place of an integer", { type: "integer" }, number, ["x may be number"], []],
  ["null besides", text, { anyOf: [text, none] }, ["x may be null"], []],
  ["null besides, as a list of types", text, { type: ["string", "null"] }, ["x may be null"], []],
  ["null no longer", { anyOf: [text, none] }, text, [], ["x may no longer be null"]],
  ["any type", text, {}, ["x may be of any type"], []],
  ["one type in place of any", {}, text, [], ["x may no longer be of any type"]],
  ["a removed member", object({ a: text, b: text }), object({ a: text }), ["x.b is removed"], ["x.b is removed"]],
  ["a removed member that was required", object({ a: text }, "a"), object({}), ["x.a is removed"], ["x.a is removed"]],
  ["a new optional member", object({ a: text }), object({ a: text, b: text }), [], []],
  ["a new required member", object({ a: text }), object({ a: text, b: text }, "b"), [], ["x.b is now required"]],
  [
    "a member that is optional now",
    object({ a: text }, "a"),
    object({ a: text }),
    ["x.a is no longer always there"],
    [],
  ],
  ["a member that is required now", object({ a: text }), object({ a: text }, "a"), [], ["x.a is now required"]],
  [
    "another type of a nested member",
    object({ a: { type: "array", items: object({ b: text }) } }),
    object({ a: { type: "array", items: object({ b: number }) } }),
    ["x.a[].b may be number"],
    ["x.a[].b may no longer be string"],
  ],
  ["a new value", oneOf("a"), oneOf("a", "b"), ['x may be "b"'], []],
  ["a removed value", oneOf("a", "b"), oneOf("a"), [], ['x may no longer be "b"']],
  ["any value", oneOf("a"), text, ["x may be another value"], []],
  ["listed values alone", text, oneOf("a"), [], ["x may no longer be another value"]],
  ["another constant", { const: 1 }, { const: 2 }, ["x may be 2"], ["x may no longer be 1"]],
  ["a constant of another type", { const: 1 }, { const: "1" }, ["x may be string"], ["x may no longer be number"]],
  ["no format", { ...text, format: "uri" }, text, ["x has the format undefined, not uri"], []],
  ["a format", text, { ...text, format: "uri" }, [], ["x has the format uri, not undefined"]],
  ["a format that only describes text", text, { ...text, format: "cursor" }, [], []],
  ["a lower maximum", { ...number, maximum: 9 }, { ...number, maximum: 8 }, [], ["x has another maximum"]],
  ["a higher maximum", { ...number, maximum: 8 }, { ...number, maximum: 9 }, [], []],
  ["a minimum", text, { ...text, minLength: 1 }, [], ["x has another minLength"]],
  [
    "a record of another type",
    { type: "object", additionalProperties: text },
    { type: "object", additionalProperties: number },
    ["x.* may be number"],
    ["x.* may no longer be string"],
  ],
  [
    "no longer a record",
    { type: "object", additionalProperties: text },
    object({}),
    ["x has no other members"],
    ["x has no other members"],
  ],
  [
    "a member of one kind of object among several",
    { anyOf: [object({ a: oneOf("b"), e: text }, "a"), object({ a: oneOf("c"), d: text }, "a")] },
    { anyOf: [object({ a: oneOf("b"), e: text }, "a"), object({ a: oneOf("c") }, "a")] },
    ["x.d is removed"],
    ["x.d is removed"],
  ],
];

for (const [change, before, after, response, request] of cases) {
  Deno.test(`findSchemaBreaks reports what breaks readers and senders when a schema gets ${change}`, () => {
    const sides = [{ schema: before, components: {} }, { schema: after, components: {} }] as const;
    deepEqual(findSchemaBreaks(...sides, "response", "x"), response);
    deepEqual(findSchemaBreaks(...sides, "request", "x"), request);
  });
}

Deno.test("findSchemaBreaks follows references into the components of each side, and ends at a circle", () => {
  const person = (name: Schema): Schemas => ({
    Person: object({ name, friends: { type: "array", items: { $ref: "#/components/schemas/Person" } } }),
  });
  const schema = { $ref: "#/components/schemas/Person" };
  const find = (before: Schemas, after: Schemas) =>
    findSchemaBreaks({ schema, components: before }, { schema, components: after }, "response", "x");
  deepEqual(find(person(text), person(text)), []);
  deepEqual(find(person(text), person(number)), ["x.name may be number"]);
});

Deno.test("findSchemaBreaks accepts a component in place of the same schema inline, and under another name", () => {
  const inline = { schema: object({ a: text }), components: {} };
  const component = (name: string) => ({
    schema: { $ref: `#/components/schemas/${name}` },
    components: { [name]: object({ a: text }) },
  });
  for (
    const [before, after] of [[inline, component("A")], [component("A"), inline], [component("A"), component("B")]]
  ) {
    deepEqual(findSchemaBreaks(before, after, "response", "x"), []);
  }
});

Deno.test("findSchemaBreaks throws at a keyword that it does not compare, of a nested schema too", () => {
  const before = object({ a: text }), after = object({ a: { ...text, contentEncoding: "base64" } as Schema });
  const find = () =>
    findSchemaBreaks({ schema: before, components: {} }, { schema: after, components: {} }, "response", "x");
  throws(find, /^Error: x: teach schema_breaks.ts to compare contentEncoding$/);
});
