/** Group and role of each credit label, as the Podcast Taxonomy spells them (taxonomy.json of the podcast namespace). */
export const TAXONOMY = {
  "Host": { group: "Cast", role: "Host" },
  "Co-host": { group: "Cast", role: "Co-Host" },
  "Guest": { group: "Cast", role: "Guest" },
  "Producer": { group: "Creative Direction", role: "Producer" },
  "Composer": { group: "Audio Post-Production", role: "Composer" },
  // the taxonomy's plain Editor belongs to Writing and prepares scripts
  "Editor": { group: "Audio Post-Production", role: "Audio Editor" },
};
