import type { Identity } from '@ratchet/contracts/identity'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import { createRunFold } from '@ratchet/judge-kit/prompt/fold-run'

/** A run as one exchange; null when a step of it does not exist any more. */
export type RunContent = JudgedExchange | 'too_large' | null

/**
 * Reads the steps of a run, one after the other, because each may be large.
 *
 * @throws LoggingIsOff
 */
export async function readRun(
  log: Pick<LogReader, 'entry'>,
  identity: Identity,
  stepIds: readonly string[],
): Promise<RunContent> {
  const fold = createRunFold()
  for (const stepId of stepIds) {
    const entry = await log.entry(identity, stepId)
    if (entry === null) return null
    if (!fold.add(entry)) return 'too_large'
  }
  return fold.read()
}
