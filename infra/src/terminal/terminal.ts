/** The only writer to the terminal, so that log lines and progress lines do not mix. */
export interface Terminal {
  line(text: string): void
  /** Shows `▸ title … 1.2 s` around a piece of work, with `detail` of its result at the end. */
  step<T>(title: string, work: () => Promise<T>, detail?: (result: T) => string): Promise<T>
}

export interface TerminalOptions {
  readonly write: (text: string) => void
  readonly now: () => number
}

export function createTerminal({ write, now }: TerminalOptions): Terminal {
  let open: string | null = null

  function line(text: string): void {
    if (open !== null) write('\n')
    open = null
    write(`${text}\n`)
  }

  async function step<T>(title: string, work: () => Promise<T>, detail?: (result: T) => string): Promise<T> {
    const started = now()
    open = title
    write(`▸ ${title} … `)
    const finish = (text: string) => {
      // Other lines were printed meanwhile, so the title is repeated.
      write(open === title ? `${text}\n` : `▸ ${title} … ${text}\n`)
      open = null
    }
    try {
      const result = await work()
      const more = detail?.(result) ?? ''
      finish(`${formatSeconds(now() - started)}${more === '' ? '' : `, ${more}`}`)
      return result
    } catch (error) {
      finish('failed')
      throw error
    }
  }

  return { line, step }
}

/** `0.4 s`, `12 s`, `3 min 20 s`. */
export function formatSeconds(ms: number): string {
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
