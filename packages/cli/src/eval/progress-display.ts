import { createLineDisplay, type LineDisplay } from '../api/line-display.ts'
import type { CliIo } from '../cli-io.ts'
import { type FirstLook, type Progressing, progressBar, progressText } from './progress-text.ts'

/** Shows the progress of an eval on standard error. */
export interface ProgressDisplay extends Omit<LineDisplay, 'show'> {
  show(seen: Progressing): void
}

/** One line, with a bar on a terminal and the id of the eval elsewhere. */
export function createProgressDisplay(io: CliIo): ProgressDisplay {
  const display = createLineDisplay(io)
  let first: FirstLook | null = null
  return {
    ...display,
    show: (seen) => {
      const nowMs = io.now().getTime()
      // Before it runs, no speed is known.
      if (first === null || seen.status === 'PENDING') first = { done: seen.progress.done, atMs: nowMs }
      const text = progressText(seen, first, nowMs)
      display.show({
        onTerminal: (columns) => progressBar(seen, columns - text.length - 1) + text,
        inLog: `${seen.id}: ${text}`,
      })
    },
  }
}
