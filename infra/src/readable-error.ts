/** A failure the person at the terminal can act on: the message is all they see. */
export class ReadableError extends Error {
  override readonly name = 'ReadableError'
}

const show = (text: string) => console.error(text)

/**
 * Runs a command; a failure becomes a readable line and exit code 1, with the stack only under RATCHET_DEBUG.
 *
 * @param tell where the line goes, the terminal when absent
 */
export async function runCommand(command: () => Promise<void>, report: (text: string) => void = show): Promise<void> {
  try {
    await command()
  } catch (error) {
    const debug = (process.env.RATCHET_DEBUG ?? '') !== ''
    const hint = debug || error instanceof ReadableError ? '' : '\n  RATCHET_DEBUG=1 shows where this comes from.'
    if (debug) console.error(error)
    report(`✗ ${error instanceof Error ? error.message : String(error)}${hint}`)
    process.exitCode = 1
  }
}
