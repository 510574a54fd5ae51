import { CommanderError } from 'commander'
import { buildProgram } from './build-program.ts'
import { CliError } from './cli-error.ts'
import { type CliIo, envValue } from './cli-io.ts'

/**
 * Runs one command.
 *
 * @param argv the words after `ratchet`
 * @returns the exit code: 0 done, 1 failure, 2 wrong usage; `eval` and `alias gate` have codes for the result of a gate
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  let exitCode = 0
  const program = buildProgram(io, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander has printed its own message, or the help.
    if (error instanceof CommanderError) return error.exitCode
    io.stderr(`error: ${describe(error)}\n`)
    if (envValue(io.env, 'RATCHET_DEBUG') !== undefined) io.stderr(`${(error as Error).stack}\n`)
    return error instanceof CliError ? error.exitCode : 1
  }
}

/** Returns one line. Of an unexpected error it is the last one, which has the cause in Prisma's messages. */
function describe(error: unknown): string {
  if (error instanceof CliError) return error.message
  const lines = (error instanceof Error ? error.message : String(error))
    .split('\n')
    .filter((line) => line.trim() !== '')
  return `${lines.at(-1)?.trim() ?? 'unknown'} (set RATCHET_DEBUG=1 for a stack trace)`
}
