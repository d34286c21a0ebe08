/**
 * Increase it with every change of the output, including the library's. private.show_notes_version() returns the same.
 */
export const SHOW_NOTES_VERSION = 1;
