/** SQLSTATEs of a connection that ended, of a server without room, of one that starts or stops, and of timeouts. */
const states = /^(08...|53...|57P0[1-5]|57014|55P03)$/
/** Codes of Node for a connection that could not be opened or that ended. */
const codes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])
/** Messages of node-postgres, whose errors of these kinds have no code. */
const messages = /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout)/

/** Whether an error of a statement says that the database cannot answer now, rather than that the statement is wrong. */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  const { code, message } = thrown as Error & { readonly code?: unknown }
  return typeof code === 'string' ? codes.has(code) || states.test(code) : messages.test(message)
}
