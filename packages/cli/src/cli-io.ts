/** Everything the command line takes from its surroundings. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  /** Everything that is piped in; null when somebody sits at the keyboard. */
  readonly stdin: () => Promise<string | null>
  /** Columns of the terminal that standard error is; null when it is none, so that no line of it is written over. */
  readonly terminalColumns: () => number | null
  readonly now: () => Date
  /** Rejects when the signal says so. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Calls back on Ctrl-C, which then ends nothing by itself; answers how to stop listening. */
  readonly onInterrupt: (callBack: () => void) => () => void
  readonly randomBytes: (count: number) => Uint8Array
}

/** The value of a variable; one that is set to nothing counts as absent. */
export function envValue(env: CliIo['env'], name: string): string | undefined {
  const value = env[name]
  return value === '' ? undefined : value
}
