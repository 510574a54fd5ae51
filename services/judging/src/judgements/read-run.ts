import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import { createRunFold } from '@ratchet/judge-kit/prompt/fold-run'

/** A run as one exchange; null when a step of it does not exist any more. */
export type RunContent = JudgedExchange | 'too_large' | null

/**
 * Reads the steps of a run, one after the other, because each may be large. Of a call of a voice agent the steps say what
 * models wrote; what the caller heard takes their place.
 *
 * @throws LoggingIsOff
 */
export async function readRun(
  log: Pick<LogReader, 'entry' | 'conversation'>,
  identity: Identity,
  stepIds: readonly string[],
): Promise<RunContent> {
  const fold = createRunFold()
  let traceId: string | null = null
  for (const stepId of stepIds) {
    const entry = await log.entry(identity, stepId)
    if (entry === null) return null
    if (!fold.add(entry)) return 'too_large'
    traceId = entry.trace_id ?? null
  }
  const run = fold.read()
  const isOfCall = traceId !== null && uuidOf('call', traceId) !== null
  const heard = isOfCall ? await log.conversation?.(identity, traceId ?? '') : null
  return run === null || heard === null || heard === undefined ? run : { ...heard, tools: run.tools }
}
