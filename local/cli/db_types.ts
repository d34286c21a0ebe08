/** npm run db:types: writes types/database.ts from the migrations. */
import { projectIn } from "../database/project.ts";
import { writeTypes } from "../database/types.ts";

await writeTypes(projectIn());
console.log("types/database.ts is what the migrations lead to.");
