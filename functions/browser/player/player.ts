/** {embed_url}/player/v1.js: defines <castbase-player>. The first script that runs wins. */
import { CastbasePlayer } from "./element.ts";

if (!customElements.get("castbase-player")) customElements.define("castbase-player", CastbasePlayer);
