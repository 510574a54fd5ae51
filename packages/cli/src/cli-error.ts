/** A failure the person at the terminal can act on: one line, no stack. */
export class CliError extends Error {
  override name = 'CliError'
  /** 1: it did not work. 2: it was asked wrongly. 3: nobody could be asked, where 1 is an answer. */
  readonly exitCode: 1 | 2 | 3

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: 1 | 2 | 3; cause?: unknown } = {}) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}
