import { spawn } from 'node:child_process'

export interface CollectOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Ends the program (SIGTERM) when it fires. */
  readonly signal?: AbortSignal
  /** Called with every piece of output. */
  readonly onOutput?: (text: string) => void
}

/** Runs a program to its end and returns its output from both streams. Never throws. */
export function collectOutput(
  command: string,
  args: readonly string[],
  { onOutput, ...options }: CollectOptions = {},
): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    let output = ''
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        onOutput?.(text)
      })
    }
    child.on('error', (error) => {
      output += error.message
      if (child.pid === undefined) resolve({ ok: false, output })
    })
    child.on('close', (code) => resolve({ ok: code === 0, output }))
  })
}
