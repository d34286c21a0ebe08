/** Why a stack cannot start, as one sentence for the person who asked for it; anything else thrown is a fault of ours. */
export class CannotStart extends Error {}
