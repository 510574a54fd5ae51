import { createTerminal, type Terminal } from './terminal.ts'

/** The terminal of this process. Closing it (a window, `| head`) does not end the process. */
export function stdoutTerminal(write: (text: string) => void = writeToStdout): Terminal {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  return createTerminal({ write, now: () => performance.now() })
}

function writeToStdout(text: string): void {
  process.stdout.write(text)
}
