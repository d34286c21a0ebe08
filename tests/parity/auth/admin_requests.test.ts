// What the admin API checks in the requests of a back end.
import { deepStrictEqual as same, ok } from "node:assert";
import { stack as running } from "../../stack.ts";
import { adminOf, clientOf, errorOf, newAddress, PASSWORD, request, senderOf, signedIn } from "./setup.ts";

const stack = await running();
const admin = { key: stack.secretKey };
const send = senderOf(stack);

Deno.test("the admin API checks the id and the password of a new user", async () => {
  const create = (body: object) => send("POST /admin/users", { ...admin, body: { email: newAddress(), ...body } });
  const invalid = (message: string) => [400, "validation_failed", message];
  same(await create({ id: "7" }), invalid("ID must conform to the uuid v4 format"));
  same(await create({ id: "00000000-0000-0000-0000-000000000000" }), invalid("ID cannot be a nil uuid"));
  const password_hash = "$2y$04$v2oB9lq7fmOh8z/6tk3zHeUjPHV6Q0ZDRvG2gF2oyAfmXlsbZRHFu";
  same(
    await create({ password: PASSWORD, password_hash }),
    invalid(
      "Only a password or a password hash should be provided",
    ),
  );
  same(await create({ password: "x".repeat(73) }), [500, "unexpected_failure", "Internal Server Error"]);
  same(await create({ password_hash: "no hash" }), [500, "unexpected_failure", "Error creating user"]);
  same(
    await create({ ban_duration: "1d" }),
    invalid(
      'invalid format for ban duration: time: unknown unit "d" in duration "1d"',
    ),
  );
  same(
    await create({ ban_duration: "10" }),
    invalid(
      'invalid format for ban duration: time: missing unit in duration "10"',
    ),
  );
});

Deno.test("a user signs in with the password of a hash that the admin API received", async () => {
  const email = newAddress(), password = "U*U";
  // A vector of crypt_blowfish
  const password_hash = "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
  const { error } = await adminOf(stack).createUser({ email, password_hash, email_confirm: true });
  same(error, null);
  same((await clientOf(stack).auth.signInWithPassword({ email, password })).error, null);
  const wrong = await clientOf(stack).auth.signInWithPassword({ email, password: "U*V" });
  same(errorOf(wrong.error), { status: 400, code: "invalid_credentials" });
});

Deno.test("the list of users rejects malformed pages and orders, and finds by address", async () => {
  const { email } = await signedIn(stack);
  const list = (query: string) => request(stack, `GET /admin/users?${query}`, admin);
  const message = async (query: string) => (await list(query)).json.msg;
  same(await message("page=x"), 'Bad Pagination Parameters: strconv.ParseUint: parsing "x": invalid syntax');
  same(await message("sort=email"), "Bad Sort Parameters: bad field for sort 'email'");
  same(
    await message("sort=created_at%20up"),
    "Bad Sort Parameters: bad direction for sort 'up', only 'asc' and 'desc' allowed",
  );
  const { json, headers } = await list(`filter=${encodeURIComponent(email)}&per_page=1`);
  same(json.users.map((user: { email: string }) => user.email), [email]);
  same(headers.get("x-total-count"), "1");
  const { json: { users: [oldest] } } = await list("sort=created_at%20asc&per_page=1");
  const { json: { users: [newest] } } = await list("sort=created_at&per_page=1");
  ok(Date.parse(oldest.created_at) < Date.parse(newest.created_at));
});
