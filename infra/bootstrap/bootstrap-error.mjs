/** A failure the person at the terminal can act on: the message is all they see. */
export class BootstrapError extends Error {}
