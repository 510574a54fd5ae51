/** An error whose message says what the user can do; the stack is not printed. */
export class ReadableError extends Error {
  override readonly name = 'ReadableError'
}

const show = (text: string) => console.error(text)

/**
 * Runs a command. An error becomes one line and exit code 1; the stack is printed only when RATCHET_DEBUG is set.
 *
 * @param report prints the line; to stderr by default
 */
export async function runCommand(command: () => Promise<void>, report: (text: string) => void = show): Promise<void> {
  try {
    await command()
  } catch (error) {
    const debug = (process.env.RATCHET_DEBUG ?? '') !== ''
    const hint = debug || error instanceof ReadableError ? '' : '\n  RATCHET_DEBUG=1 shows the stack.'
    if (debug) console.error(error)
    report(`✗ ${error instanceof Error ? error.message : String(error)}${hint}`)
    process.exitCode = 1
  }
}
