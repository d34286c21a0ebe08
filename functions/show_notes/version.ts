/** Raise it with every change of the output, also of the library's; private.show_notes_version() must return the same. */
export const SHOW_NOTES_VERSION = 1;
