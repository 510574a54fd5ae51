/** Everything the command line takes from its surroundings. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  /** Everything that is piped in; null when somebody sits at the keyboard. */
  readonly stdin: () => Promise<string | null>
  readonly now: () => Date
  readonly randomBytes: (count: number) => Uint8Array
}

/** The value of a variable; one that is set to nothing counts as absent. */
export function envValue(env: CliIo['env'], name: string): string | undefined {
  const value = env[name]
  return value === '' ? undefined : value
}
