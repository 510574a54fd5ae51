import type { Identity } from '@ratchet/contracts/identity'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import { readRun } from '../judgements/read-run.ts'
import { requireLog } from '../runs/require-log.ts'
import type { JudgedSteps, RoundSteps } from './pg-round-steps.ts'
import type { Round } from './round.ts'

export interface RoundRun {
  readonly steps: JudgedSteps
  /** As one conversation, which is what the judge read. */
  readonly content: JudgedExchange
}

export interface RunOrder {
  readonly identity: Identity
  readonly round: Pick<Round, 'workspaceId' | 'id' | 'criterionId'>
  readonly traceId: string
}

/** A run of a round as its judge read it; null when it is not in the log any more. */
export async function readRoundRun(
  { roundSteps, log }: { readonly roundSteps: RoundSteps; readonly log: Pick<LogReader, 'entry'> },
  { identity, round, traceId }: RunOrder,
): Promise<RoundRun | null> {
  const steps = await roundSteps(round, traceId)
  if (steps === null) return null
  const content = await requireLog(() => readRun(log, identity, steps.stepIds))
  return content === null || content === 'too_large' ? null : { steps, content }
}
