// Bodies of REST requests.
import { deepStrictEqual as same, rejects } from "node:assert";
import { readPayload } from "../../../local/rest/payload.ts";

Deno.test("a CSV body keeps its last row when its last field is empty", async () => {
  const headers = { "content-type": "text/csv" };
  const request = new Request("http://localhost/", { method: "POST", headers, body: "a,b\n1,2\n3," });
  const { text } = await readPayload(request, false);
  same(JSON.parse(text), [{ a: "1", b: "2" }, { a: "3", b: "" }]);
});

Deno.test("a CSV body whose names would repeat to more than 64 MB is rejected", async () => {
  const headers = { "content-type": "text/csv" };
  const body = (names: number) => "a".repeat(names) + "\n" + "1\n".repeat(1000);
  const read = (body: string) =>
    readPayload(new Request("http://localhost/", { method: "POST", headers, body }), false);
  await rejects(read(body(70_000)), { message: "The names of the columns are too long for this number of lines" });
  same(JSON.parse((await read(body(60))).text).length, 1000);
});

Deno.test("a body of more than 1,000,000 CSV fields or 10,000 form fields is rejected", async () => {
  const read = (type: string, body: string) =>
    readPayload(new Request("http://localhost/", { method: "POST", headers: { "content-type": type }, body }), false);
  const form = "application/x-www-form-urlencoded";
  await rejects(read("text/csv", "a\n" + "1\n".repeat(1_000_000)), { message: /^At most 1000000 fields/ });
  await rejects(read(form, "a&".repeat(10_000)), { message: /^At most 10000 fields/ });
  same((await read(form, "a=1&b=2")).text, '{"a":"1","b":"2"}');
});
