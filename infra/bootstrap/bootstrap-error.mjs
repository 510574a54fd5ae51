/** An error whose message says what the user can do; the stack is not printed. */
export class BootstrapError extends Error {}
