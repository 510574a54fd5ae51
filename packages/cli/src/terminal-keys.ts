import { emitKeypressEvents } from 'node:readline'
import { createInterface } from 'node:readline/promises'
import type { ReadStream } from 'node:tty'
import type { Keys } from './cli-io.ts'

interface Key {
  readonly name?: string
  readonly ctrl?: boolean
}

/** Single keys of a terminal, which need no Enter, and lines, which do. */
export function terminalKeys(input: ReadStream, output: NodeJS.WritableStream): Keys {
  emitKeypressEvents(input)
  return {
    next: () =>
      new Promise((resolve) => {
        const end = (text: string | undefined, { name, ctrl }: Key) => {
          input.off('keypress', end).setRawMode(false).pause()
          const isEnd = ctrl === true && (name === 'c' || name === 'd')
          resolve(isEnd ? null : (text ?? name ?? ''))
        }
        input.setRawMode(true).resume().on('keypress', end)
      }),
    async line() {
      const lines = createInterface({ input, output })
      try {
        // A question is never answered when its interface is closed by Ctrl-C or Ctrl-D.
        const closed = new Promise<null>((resolve) => lines.once('close', () => resolve(null)))
        return await Promise.race([lines.question(''), closed])
      } finally {
        lines.close()
      }
    },
    close: () => void input.pause(),
  }
}
