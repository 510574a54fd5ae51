/** What the command line reads from and writes to its surroundings. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  /** Standard input; null when it is a terminal. */
  readonly stdin: () => Promise<string | null>
  /** Keys that a person presses, or the characters of piped input. Must be closed. */
  readonly keys: () => Keys
  /** Columns of the terminal of standard error; null when it is not a terminal, so that no line is overwritten. */
  readonly terminalColumns: () => number | null
  readonly now: () => Date
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Calls the listener on Ctrl-C, which then does not end the process. Returns a function that removes the listener. */
  readonly onInterrupt: (callBack: () => void) => () => void
  readonly randomBytes: (count: number) => Uint8Array
}

/** The value of a variable; an empty one counts as absent. */
export function envValue(env: CliIo['env'], name: string): string | undefined {
  const value = env[name]
  return value === '' ? undefined : value
}

export interface Keys {
  /** The next key; null at the end of the input, and after Ctrl-C. */
  next(): Promise<string | null>
  /** A line of text, without its end; null as above. */
  line(): Promise<string | null>
  close(): void
}
