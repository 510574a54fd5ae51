import { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { withLease } from '@ratchet/service-kit/with-lease'
import type { JudgementStore, PlannedJudgement } from '../judgements/judgement.ts'
import type { LeasedRun, RunKind, RunStep, RunStore } from './judge-run.ts'

/** Takes a run one step further: plans judgements, or makes a result of those that are done. It may run twice. */
export type RunHandler = (run: LeasedRun) => Promise<RunStep & { readonly judgements?: readonly PlannedJudgement[] }>

export interface AdvanceRunDeps {
  readonly runs: RunStore
  readonly judgements: JudgementStore
  readonly runHandlers: Readonly<Record<RunKind, RunHandler>>
  readonly now: () => Date
  /** Says that there are judgements to be done. */
  readonly enqueueJudgements: (ids: readonly string[]) => Promise<void>
  readonly onEvent: (event: RunEvent) => void
}

export interface RunEvent {
  readonly kind: 'waiting' | 'done' | 'failed' | 'lost' | 'retried'
  readonly runId: string
  readonly cause?: unknown
}

const maxAttempts = 5

/** Takes a run one step further if it is nobody else's. After five failures in a row it is FAILED. */
export async function advanceRun(deps: AdvanceRunDeps, runId: string): Promise<void> {
  const { runs, runHandlers, now, onEvent } = deps
  await withLease(runs, runId, async (run) => {
    try {
      const { judgements = [], ...step } = await runHandlers[run.kind](run)
      await deps.judgements.plan(judgements)
      const kept = await runs.advance(run, step, now())
      if (!kept) return onEvent({ kind: 'lost', runId })
      onEvent({ kind: step.kind === 'wait' ? 'waiting' : step.kind, runId })
      await deps.enqueueJudgements(judgements.map(({ id }) => id))
    } catch (cause) {
      if (run.attempts < maxAttempts) await runs.release(run, 2_000 * run.attempts)
      else await runs.advance(run, { kind: 'failed', error: describe(cause) }, now())
      onEvent({ kind: run.attempts < maxAttempts ? 'retried' : 'failed', runId, cause })
    }
  })
}

/** What another service answered is for people; what broke here is not. */
function describe(cause: unknown): string {
  if (cause instanceof FleetCallError) return `It failed five times in a row: ${cause.message}`
  return 'Something went wrong on our side, five times in a row.'
}
