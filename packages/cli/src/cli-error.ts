/** A failure that the user can correct: printed in one line, without a stack trace. */
export class CliError extends Error {
  override name = 'CliError'
  /** 1: failure. 2: wrong usage. 3: no answer, for commands where 1 is an answer. */
  readonly exitCode: 1 | 2 | 3

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: 1 | 2 | 3; cause?: unknown } = {}) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}
