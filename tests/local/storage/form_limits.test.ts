// The limits of a form's fields, which the stand-in holds in memory.
import { deepStrictEqual as same } from "node:assert";
import { refusal, storageTest } from "../../parity/storage/fixture.ts";

storageTest(
  "a form has at most 10 fields before its file, of 1 MB together, and 16 KB of headers per part",
  async (at) => {
    const headers = { "content-type": "multipart/form-data; boundary=edge" };
    const field = (value: string, name = "x") =>
      `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const send = (...fields: string[]) => {
      const file = `--edge\r\nContent-Disposition: form-data; name=""; filename="a"\r\n\r\nfile\r\n--edge--\r\n`;
      return at.raw("PUT", `/object/${at.open}/fields`, { body: fields.join("") + file, headers });
    };
    const full = [...Array<string>(9).fill(field("x")), field("5", "cacheControl")];
    for (const fields of [full, [field("x".repeat(2 ** 20 - 1)), field("5", "cacheControl")]]) {
      const stored = await send(...fields);
      same(stored.status, 200, await stored.text());
      same((await at.get(`${at.open}/fields`)).headers.get("cache-control"), "max-age=5");
    }
    const tooLarge = { http: 400, statusCode: "413", error: "Payload too large", code: "EntityTooLarge" };
    for (
      const [message, ...fields] of [
        ["The form has more than 10 fields before its file", ...full, field("x")],
        ["The form's fields exceeded the maximum allowed size", field("x".repeat(2 ** 20)), field("x")],
        ["The header of a part exceeded the maximum allowed size", field("x", "x".repeat(2 ** 14))],
      ]
    ) {
      same(await refusal(await send(...fields)), { ...tooLarge, message });
    }
  },
);
