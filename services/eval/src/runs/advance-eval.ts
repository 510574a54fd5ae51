import type { EvalReport } from '@ratchet/contracts/eval-report'
import { LoggingIsOff } from '@ratchet/judge-kit/fleet/log-reader'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { ServiceError } from '@ratchet/service-kit/service-error'
import { withLease } from '@ratchet/service-kit/with-lease'
import { minPrompts, type PromptSource } from '../prompts/prompt-source.ts'
import { buildReport } from '../report/build-report.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import type { DrawnPrompt, PlannedSample, SampleStore } from '../samples/sample.ts'
import { callerOf } from './caller.ts'
import type { EvalEnd, EvalStore, LeasedEval } from './eval-run.ts'

export interface AdvanceEvalDeps {
  readonly evals: EvalStore
  readonly samples: Pick<SampleStore, 'pending' | 'isOver' | 'measured' | 'countOverCap'>
  /** Where the prompts of an eval come from. */
  readonly sourceOf: (run: Pick<LeasedEval, 'request'>) => PromptSource
  readonly now: () => Date
  /** Says that there are samples to be done. */
  readonly enqueueSamples: (ids: readonly string[]) => Promise<void>
  readonly onEvent: (event: EvalEvent) => void
}

export interface EvalEvent {
  readonly kind: 'begun' | 'waiting' | 'done' | 'failed' | 'cancelled' | 'lost' | 'retried'
  readonly runId: string
  readonly cause?: unknown
}

const maxAttempts = 5
const hopelessDelayMs = 300_000
/** An eval whose samples are not over is looked at again after so long, milliseconds, if nobody rings. */
const waitingDelayMs = 1_000

/** Takes an eval one step further if it is nobody else's: draws its samples, or makes its report. It may run twice. */
export async function advanceEval(deps: AdvanceEvalDeps, runId: string): Promise<void> {
  const { evals, now, onEvent } = deps
  await withLease(evals, runId, async (run) => {
    try {
      onEvent({ kind: await step(deps, run), runId })
    } catch (cause) {
      const isFinal = run.attempts >= maxAttempts || isFinalCause(cause)
      const end = { status: 'FAILED', report: null, error: describe(cause) } as const
      const isOver = isFinal && (await evals.finish(run, end, now()))
      if (!isOver) await evals.release(run, { delayMs: retryDelayMs(run, isFinal), hasFailed: !isFinal })
      onEvent({ kind: isFinal ? 'failed' : 'retried', runId, cause })
    }
  })
}

/** What was cancelled meanwhile is reported at once; a report that cannot be made is tried now and then. */
function retryDelayMs({ status, attempts }: LeasedEval, isFinal: boolean): number {
  if (!isFinal) return 2_000 * attempts
  return status === 'CANCELLED' ? hopelessDelayMs : 0
}

async function step(deps: AdvanceEvalDeps, run: LeasedEval): Promise<EvalEvent['kind']> {
  if (run.status === 'PENDING') return begin(deps, run)
  if (!(await deps.samples.isOver(run.id))) {
    await deps.evals.release(run, { delayMs: waitingDelayMs, hasFailed: false })
    return 'waiting'
  }
  return conclude(deps, run)
}

/** Draws the samples and freezes them, so that whatever happens to the log every model is asked the same. */
async function begin({ evals, samples, sourceOf, now, enqueueSamples }: AdvanceEvalDeps, run: LeasedEval) {
  const drawn = await sourceOf(run).draw({ identity: callerOf({ ...run, maxCostNano: null }, 'eval'), ...run })
  if (drawn.length < minPrompts) {
    const error = `There are ${drawn.length} distinct prompts left; an eval takes ${minPrompts}.`
    return (await evals.finish(run, { status: 'FAILED', report: null, error }, now())) ? 'failed' : letGo(evals, run)
  }
  if (!(await evals.begin(run, plannedSamples(run, drawn)))) return letGo(evals, run)
  await enqueueSamples(await samples.pending(run.id))
  return 'begun'
}

/** It was cancelled meanwhile, if it is not somebody else's by now: whoever reports that need not wait for the lease to end. */
async function letGo(evals: EvalStore, run: LeasedEval): Promise<'lost'> {
  await evals.release(run, { delayMs: 0, hasFailed: false })
  return 'lost'
}

/** Repetition after repetition, so that an eval that ends early has asked every prompt about as often. */
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
  const report = await reportOf(samples, run)
  const overCap = await samples.countOverCap(run.id)
  const end = endOf(report, overCap)
  if (!(await evals.finish(run, end, now()))) return 'lost'
  if (run.status === 'CANCELLED') return 'cancelled'
  return end.status === 'DONE' ? 'done' : 'failed'
}

async function reportOf(samples: AdvanceEvalDeps['samples'], { id, request, judge }: LeasedEval): Promise<EvalReport> {
  const measured = await samples.measured(id)
  return buildReport({
    seed: String(request.seed),
    baselineModel: request.baseline_model,
    candidateModels: request.candidate_models,
    judgeModel: judge.model,
    samples: request.sample_filters.trace_replay === true ? measured : measured.map(ofNoRun),
  })
}

/** Single steps of runs that nobody went through whole. */
function ofNoRun(sample: MeasuredSample): MeasuredSample {
  return { ...sample, traceId: null }
}

function endOf(report: EvalReport, overCap: number): EvalEnd {
  const { samples_total: total, samples_failed: failed } = report
  if (overCap > 0) {
    const error = `The most that it may cost left too little for ${overCap} of ${total} samples; a smaller max_tokens makes it go further.`
    return { status: 'FAILED', report, error }
  }
  if (total > 0 && failed === total) return { status: 'FAILED', report, error: 'No sample could be done.' }
  return { status: 'DONE', report, error: null }
}

/** What no second attempt mends. */
function isFinalCause(cause: unknown): boolean {
  if (cause instanceof LoggingIsOff || cause instanceof ServiceError) return true
  return cause instanceof FleetCallError && !cause.mayPass
}

/** What another service answered is for people; what broke here is not. */
function describe(cause: unknown): string {
  if (cause instanceof LoggingIsOff) return 'Request logging was turned off before the prompts were drawn.'
  if (cause instanceof ServiceError || cause instanceof FleetCallError) return cause.message
  return 'Something went wrong on our side, five times in a row.'
}
