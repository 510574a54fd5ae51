import { createProgressDisplay } from '../api/progress-display.ts'
import type { CliIo } from '../cli-io.ts'
import { type Progressing, progressBar, progressText } from './progress-text.ts'

/** Shows the progress of an eval, with a bar on a terminal. */
export function createEvalDisplay(io: CliIo) {
  return createProgressDisplay<Progressing>(io, {
    doneOf: ({ progress }) => progress.done,
    isWaiting: ({ status }) => status === 'PENDING',
    textOf: progressText,
    barOf: progressBar,
  })
}
