import { CommanderError } from 'commander'
import { buildProgram } from './build-program.ts'
import { CliError } from './cli-error.ts'
import { type CliIo, envValue } from './cli-io.ts'

/**
 * Runs one command.
 *
 * @param argv the words after `ratchet`
 * @returns the exit code: 0 done, 1 it did not work, 2 it was asked wrongly; those of `eval` and `alias gate` say what a gate says
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
    // Commander has printed its own line, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode
    io.stderr(`error: ${describe(error)}\n`)
    if (envValue(io.env, 'RATCHET_DEBUG') !== undefined) io.stderr(`${(error as Error).stack}\n`)
    return error instanceof CliError ? error.exitCode : 1
  }
}

/** One line. What was not foreseen keeps its last line, which is where Prisma says what happened. */
function describe(error: unknown): string {
  if (error instanceof CliError) return error.message
  const lines = (error instanceof Error ? error.message : String(error))
    .split('\n')
    .filter((line) => line.trim() !== '')
  return `${lines.at(-1)?.trim() ?? 'unknown'} (RATCHET_DEBUG=1 shows where this comes from)`
}
