import { type Eval, getEval } from '@ratchet/contracts/evals'
import type { EvalApi, Reply } from './eval-api.ts'
import type { EvalDeps } from './eval-commands.ts'
import { createProgressDisplay } from './progress-display.ts'

const firstPollMs = 1_000
const slowestPollMs = 5_000
/** Asked about once in so many parts of the time it was watched for. */
const pollsPerWatched = 30
/** Longer than a deployment takes to be replaced. */
const patienceMs = 10 * 60_000

/**
 * Watches an eval until it is over. Ctrl-C ends the watching, not the eval.
 *
 * @returns what it was in the end; null when it was interrupted, which has been said
 */
export async function untilOver(
  { io }: Pick<EvalDeps, 'io'>,
  api: EvalApi,
  first: Reply<Eval>,
): Promise<Reply<Eval> | null> {
  const display = createProgressDisplay(io)
  const interruption = new AbortController()
  const { signal } = interruption
  const stopListening = io.onInterrupt(() => interruption.abort())
  const { id } = first.value
  const beganMs = io.now().getTime()
  try {
    let latest = first
    display.show(latest.value)
    while (!isOver(latest.value)) {
      const watchedMs = io.now().getTime() - beganMs
      await io.sleep(Math.min(Math.max(firstPollMs, watchedMs / pollsPerWatched), slowestPollMs), signal)
      latest = await api.call(getEval, { id }, { signal, patienceMs, onWait: display.remark })
      display.show(latest.value)
    }
    return latest
  } catch (error) {
    if (!signal.aborted) throw error
    display.end()
    io.stderr(`Interrupted. The eval goes on; \`ratchet eval watch ${id}\` shows it again.\n`)
    return null
  } finally {
    stopListening()
    display.end()
  }
}

function isOver({ status }: Eval): boolean {
  return status === 'DONE' || status === 'FAILED' || status === 'CANCELLED'
}
