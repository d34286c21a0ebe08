// Bodies of REST requests.
import { deepStrictEqual as same } from "node:assert";
import { readPayload } from "../../../local/rest/payload.ts";

Deno.test("a CSV body keeps its last row when its last field is empty", async () => {
  const headers = { "content-type": "text/csv" };
  const request = new Request("http://localhost/", { method: "POST", headers, body: "a,b\n1,2\n3," });
  const { text } = await readPayload(request, false);
  same(JSON.parse(text), [{ a: "1", b: "2" }, { a: "3", b: "" }]);
});
