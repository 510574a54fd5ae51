import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { runRetryDelayMs } from '@ratchet/work-kit/leases/decide-retry'
import { withLease } from '@ratchet/work-kit/leases/with-lease'
import type { JudgementStore, PlannedJudgement } from '../judgements/judgement.ts'
import type { LeasedRun, RunKind, RunStep, RunStore } from './judge-run.ts'

/** Does the next step of a run: plans judgements, or computes a result from finished ones. A step may run twice. */
export type RunHandler = (run: LeasedRun) => Promise<RunStep & { readonly judgements?: readonly PlannedJudgement[] }>

export interface AdvanceRunDeps {
  readonly runs: RunStore
  readonly judgements: JudgementStore
  readonly runHandlers: Readonly<Record<RunKind, RunHandler>>
  readonly now: () => Date
  readonly enqueueJudgements: (ids: readonly string[]) => Promise<void>
  /** Called when a step is over or has failed. */
  readonly onStep: (run: LeasedRun) => void
  readonly onEvent: (event: RunEvent) => void
}

export interface RunEvent {
  readonly kind: 'waiting' | 'done' | 'failed' | 'lost' | 'retried'
  readonly runId: string
  readonly cause?: unknown
}

/**
 * Does the next step of a run under a lease. After five failures in a row the run is FAILED.
 *
 * @param due the id of a run, or one that this process has just leased
 */
export async function advanceRun(deps: AdvanceRunDeps, due: string | LeasedRun): Promise<void> {
  const { runs, runHandlers, now, onStep, onEvent } = deps
  await withLease(runs, due, async (run) => {
    const runId = run.id
    try {
      // A second notification of the run may arrive when the first one has planned its judgements.
      if (await isWaiting(deps, runId)) return await runs.release(run, { delayMs: 0, hasFailed: false })
      const { judgements = [], ...step } = await runHandlers[run.kind](run)
      await deps.judgements.plan(judgements)
      const saved = await runs.advance(run, step, now())
      onStep(run)
      if (!saved) return onEvent({ kind: 'lost', runId })
      onEvent({ kind: step.kind === 'wait' ? 'waiting' : step.kind, runId })
      await deps.enqueueJudgements(judgements.map(({ id }) => id))
    } catch (cause) {
      const delayMs = runRetryDelayMs(run.attempts)
      if (delayMs === null) await runs.advance(run, { kind: 'failed', error: describe(cause) }, now())
      else await runs.release(run, { delayMs, hasFailed: true })
      onStep(run)
      onEvent({ kind: delayMs === null ? 'failed' : 'retried', runId, cause })
    }
  })
}

async function isWaiting({ judgements }: AdvanceRunDeps, runId: string): Promise<boolean> {
  const { total, done, deadLettered } = await judgements.progressOf(runId)
  return done + deadLettered < total
}

/** The message of another service may be shown to the user; that of an internal error may not. */
function describe(cause: unknown): string {
  if (cause instanceof FleetCallError) return `The run failed five times in a row: ${cause.message}`
  return 'The run failed five times in a row because of an internal error.'
}
