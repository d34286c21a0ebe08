// The admin API's list of users, on a database whose users the test counts.
import { deepStrictEqual as same, ok } from "node:assert";
import { adminOf, withSql } from "../../parity/auth/setup.ts";
import { startAuth } from "./auth_service.ts";

const own = await startAuth();

Deno.test("listUsers pages, newest first, and returns the total and the next page", async () => {
  const [{ before }] = await withSql(
    own,
    (sql) => sql<{ before: number }[]>`select count(*)::int as before from auth.users`,
  );
  const last = Math.ceil((before + 3) / 2);
  for (let n = 1; n <= 3; n++) await adminOf(own).createUser({ email: `user${n}@example.org` });
  const first = await adminOf(own).listUsers({ page: 1, perPage: 2 });
  ok(!first.error);
  same(first.data.users.map(({ email }) => email), ["user3@example.org", "user2@example.org"]);
  same([first.data.total, first.data.nextPage, first.data.lastPage], [before + 3, 2, last]);
  const second = await adminOf(own).listUsers({ page: 2, perPage: 2 });
  ok(!second.error);
  same(second.data.users[0].email, "user1@example.org");
  const end = await adminOf(own).listUsers({ page: last, perPage: 2 });
  ok(!end.error);
  same([end.data.nextPage, end.data.lastPage], [null, last]);
});
