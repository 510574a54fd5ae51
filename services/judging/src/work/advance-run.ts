import { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { underLease } from '@ratchet/service-kit/under-lease'
import type { LeasedRun, RunKind, RunStep, RunStore } from '../domain/judge-run.ts'
import type { JudgementStore, PlannedJudgement } from '../domain/judgement.ts'

/** Takes a run one step further: plans judgements, or makes a result of those that are done. It may run twice. */
export type RunStepper = (run: LeasedRun) => Promise<RunStep & { readonly judgements?: readonly PlannedJudgement[] }>

export interface AdvanceRunDeps {
  readonly runs: RunStore
  readonly judgements: JudgementStore
  readonly steppers: Readonly<Record<RunKind, RunStepper>>
  readonly now: () => Date
  /** Says that there are judgements to be done. */
  readonly ringJudgements: (ids: readonly string[]) => Promise<void>
  readonly onEvent: (event: RunEvent) => void
}

export interface RunEvent {
  readonly kind: 'waiting' | 'done' | 'failed' | 'lost' | 'retried'
  readonly runId: string
  readonly cause?: unknown
}

const mostAttempts = 5

/** Takes a run one step further if it is nobody else's. After five failures in a row it is FAILED. */
export async function advanceRun(deps: AdvanceRunDeps, runId: string): Promise<void> {
  const { runs, steppers, now, onEvent } = deps
  await underLease(runs, runId, async (run) => {
    try {
      const { judgements = [], ...step } = await steppers[run.kind](run)
      await deps.judgements.plan(judgements)
      const kept = await runs.advance(run, step, now())
      if (!kept) return onEvent({ kind: 'lost', runId })
      onEvent({ kind: step.kind === 'wait' ? 'waiting' : step.kind, runId })
      await deps.ringJudgements(judgements.map(({ id }) => id))
    } catch (cause) {
      if (run.attempts < mostAttempts) await runs.release(run, 2_000 * run.attempts)
      else await runs.advance(run, { kind: 'failed', error: describe(cause) }, now())
      onEvent({ kind: run.attempts < mostAttempts ? 'retried' : 'failed', runId, cause })
    }
  })
}

/** What another service answered is for people; what broke here is not. */
function describe(cause: unknown): string {
  if (cause instanceof FleetCallError) return `It failed five times in a row: ${cause.message}`
  return 'Something went wrong on our side, five times in a row.'
}
