import type { EvalReport } from '@ratchet/contracts/eval-report'
import { LoggingIsOff } from '@ratchet/judge-kit/fleet/log-reader'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { runRetryDelayMs } from '@ratchet/work-kit/leases/decide-retry'
import { withLease } from '@ratchet/work-kit/leases/with-lease'
import { minPrompts, type PromptSource } from '../prompts/prompt-source.ts'
import { buildReport } from '../report/build-report.ts'
import { askedBy } from '../report/difference-of.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import type { DrawnPrompt, PlannedSample, SampleStore } from '../samples/sample.ts'
import { callerOf } from './caller.ts'
import { type EvalEnd, judgeModelsOf, type LeasedEval } from './eval-run.ts'
import type { EvalStore } from './eval-store.ts'
import type { NotifyEval } from './notify-eval.ts'

export interface AdvanceEvalDeps {
  readonly evals: EvalStore
  readonly samples: Pick<
    SampleStore,
    'pending' | 'isOver' | 'measured' | 'countOverCap' | 'countSkipped' | 'judgeCosts'
  >
  readonly sourceOf: (run: Pick<LeasedEval, 'request' | 'judge'>) => PromptSource
  readonly now: () => Date
  /** Notifies workers of samples. Never fails. */
  readonly enqueueSamples: (ids: readonly string[]) => Promise<void>
  /** Called when an eval has begun or ended. Never fails. */
  readonly notifyEval: NotifyEval
  readonly onEvent: (event: EvalEvent) => void
}

export interface EvalEvent {
  readonly kind: 'begun' | 'waiting' | 'done' | 'failed' | 'cancelled' | 'lost' | 'retried'
  readonly runId: string
  readonly cause?: unknown
}

/** Delay before the report of a cancelled eval is tried again after its last attempt failed, milliseconds. */
const reportRetryDelayMs = 300_000
/** Delay until an eval with unfinished samples is checked again when no notification arrives, milliseconds. */
const waitingDelayMs = 1_000

/**
 * Advances an eval by one step, if no other process holds its lease: draws its samples or builds its report.
 *
 * @param due the id of an eval, or one that this process has just leased
 */
export async function advanceEval(deps: AdvanceEvalDeps, due: string | LeasedEval): Promise<void> {
  const { evals, now, onEvent } = deps
  await withLease(evals, due, async (run) => {
    const runId = run.id
    try {
      const kind = await step(deps, run)
      onEvent({ kind, runId })
      if (kind !== 'waiting' && kind !== 'lost') await deps.notifyEval(run)
    } catch (cause) {
      const isFinal = runRetryDelayMs(run.attempts) === null || isFinalCause(cause)
      const end = { status: 'FAILED', report: null, error: describe(cause) } as const
      const isOver = isFinal && (await evals.finish(run, end, now()))
      if (!isOver) await evals.release(run, { delayMs: retryDelayMs(run, isFinal), hasFailed: !isFinal })
      onEvent({ kind: isFinal ? 'failed' : 'retried', runId, cause })
      if (isOver) await deps.notifyEval(run)
    }
  })
}

/** An eval that was cancelled in the meantime is reported at once; when its report fails, that is retried rarely. */
function retryDelayMs({ status, attempts }: LeasedEval, isFinal: boolean): number {
  if (!isFinal) return runRetryDelayMs(attempts) ?? 0
  return status === 'CANCELLED' ? reportRetryDelayMs : 0
}

async function step(deps: AdvanceEvalDeps, run: LeasedEval): Promise<EvalEvent['kind']> {
  if (run.status === 'PENDING') return begin(deps, run)
  if (!(await deps.samples.isOver(run.id))) {
    await deps.evals.release(run, { delayMs: waitingDelayMs, hasFailed: false })
    return 'waiting'
  }
  return conclude(deps, run)
}

/** Draws the samples and saves their texts, so that all models get the same prompts even when the log changes. */
async function begin({ evals, samples, sourceOf, now, enqueueSamples }: AdvanceEvalDeps, run: LeasedEval) {
  const drawn = await sourceOf(run).draw({ identity: callerOf({ ...run, maxCostNano: null }, 'eval'), ...run })
  if (drawn.length < minPrompts) {
    const error = `Only ${drawn.length} distinct prompts were left when the samples were drawn; an eval needs at least ${minPrompts}.`
    return (await evals.finish(run, { status: 'FAILED', report: null, error }, now()))
      ? 'failed'
      : releaseLost(evals, run)
  }
  if (!(await evals.begin(run, plannedSamples(run, drawn)))) return releaseLost(evals, run)
  await enqueueSamples(await samples.pending(run.id))
  return 'begun'
}

/** Returns the lease of an eval that was probably cancelled, so that its report need not wait for the lease to end. */
async function releaseLost(evals: EvalStore, run: LeasedEval): Promise<'lost'> {
  await evals.release(run, { delayMs: 0, hasFailed: false })
  return 'lost'
}

/** Ordered by repetition, so that an eval that ends early has used every prompt about equally often. */
function plannedSamples({ id, request }: LeasedEval, drawn: readonly DrawnPrompt[]): readonly PlannedSample[] {
  return Array.from({ length: request.repetitions }, (_, repetition) =>
    drawn.map((prompt, position) => ({
      ...prompt,
      id: deterministicId('eval-sample', id, String(position), String(repetition)),
      position,
      repetition,
    })),
  ).flat()
}

async function conclude({ evals, samples, now }: AdvanceEvalDeps, run: LeasedEval): Promise<EvalEvent['kind']> {
  const report = await buildEvalReport(samples, run)
  const overCap = await samples.countOverCap(run.id)
  const end = endOf(report, overCap)
  if (!(await evals.finish(run, end, now()))) return 'lost'
  if (run.status === 'CANCELLED') return 'cancelled'
  return end.status === 'DONE' ? 'done' : 'failed'
}

async function buildEvalReport(
  samples: AdvanceEvalDeps['samples'],
  { id, request, judge }: LeasedEval,
): Promise<EvalReport> {
  const [measured, costs] = [await samples.measured(id), await samples.judgeCosts(id)]
  return buildReport({
    seed: String(request.seed),
    baselineModel: request.baseline_model,
    candidateModels: request.candidate_models,
    judgeModel: judge.model,
    judges: judgeModelsOf(judge).map((model, place) => ({ model, costNano: costs.get(place) ?? 0n })),
    samples: request.sample_filters.trace_replay === true ? measured : measured.map(withoutTrace),
    asked: askedBy(request),
    skipped: await samples.countSkipped(id),
  })
}

/** Single steps that were drawn from the log are not whole agent runs, so the report must not count them as runs. */
function withoutTrace(sample: MeasuredSample): MeasuredSample {
  return { ...sample, traceId: null }
}

function endOf(report: EvalReport, overCap: number): EvalEnd {
  const { samples_total: total, samples_failed: failed } = report
  if (overCap > 0) {
    const error = `\`max_cost_usd\` left too little for ${overCap} of ${total} samples. Raise it, or lower \`max_tokens\`.`
    return { status: 'FAILED', report, error }
  }
  if (total > 0 && failed === total) return { status: 'FAILED', report, error: 'All samples failed.' }
  return { status: 'DONE', report, error: null }
}

/** Whether a retry cannot help. */
function isFinalCause(cause: unknown): boolean {
  if (cause instanceof LoggingIsOff || cause instanceof ServiceError) return true
  return cause instanceof FleetCallError && !cause.mayPass
}

/** Messages of other services are written for users; messages of unexpected errors are not, and may hold secrets. */
function describe(cause: unknown): string {
  if (cause instanceof LoggingIsOff) return 'Request logging was turned off before the prompts were drawn.'
  if (cause instanceof ServiceError || cause instanceof FleetCallError) return cause.message
  return 'An internal error occurred five times in a row.'
}
