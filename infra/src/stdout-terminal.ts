import { createTerminal, type Terminal } from './terminal.ts'

/** The terminal of this process. One that goes away (a closed window, `| head`) takes nothing else with it. */
export function stdoutTerminal(write: (text: string) => void = writeToStdout): Terminal {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  return createTerminal({ write, now: () => performance.now() })
}

function writeToStdout(text: string): void {
  process.stdout.write(text)
}
