/** The viewer of the documentation, of more than a megabyte: only isolates that send it load this module. */
import script from "../../built/docs.json" with { type: "json" };
import style from "../../built/docs_style.json" with { type: "json" };
import { assetHandler } from "../asset.ts";

export const sendScript = assetHandler(script, "public, max-age=3600");
export const sendStyle = assetHandler(style, "public, max-age=3600");
