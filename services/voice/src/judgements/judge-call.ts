import type { Identity } from '@ratchet/contracts/identity'
import { gateJudge, planGateJudgements, readGateVerdicts } from '@ratchet/contracts/internal-judging'
import { type LoggedRun, readRuns } from '@ratchet/contracts/internal-logs'
import { publicId } from '@ratchet/contracts/public-id'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { type DueVerdict, failureBefore, type VerdictStep, type VerdictStore } from './call-verdict.ts'

export interface JudgeCallsDeps {
  readonly verdicts: VerdictStore
  readonly logging: Pick<FleetClient, 'call'>
  readonly judging: Pick<FleetClient, 'call'>
  readonly onError: (error: unknown, call: { readonly callId: string }) => void
}

const atOnce = 20
/** The log has what was answered within seconds. An answer that was broken off is never in it. */
const maxLogMs = 20_000
/** After that the log has nothing of the call, because logging is off or its model is not logged. */
const maxUnloggedMs = 120_000
const soonMs = 2_000
const maxPauseMs = 60_000

/** Moves every call that is due one step towards its verdicts. To be called every second, by any number of processes. */
export async function judgeCalls(deps: JudgeCallsDeps): Promise<void> {
  const due = await deps.verdicts.take(atOnce)
  await Promise.all(
    due.map(async (each) => {
      try {
        await deps.verdicts.save(each, await nextStep(deps, each))
      } catch (error) {
        deps.onError(error, { callId: each.id })
      }
    }),
  )
}

async function nextStep(deps: JudgeCallsDeps, due: DueVerdict): Promise<VerdictStep> {
  const failure = failureBefore(due)
  if (failure !== null) return { state: 'failed', failure }
  const identity = workerIdentity(due.workspaceId, due.userId)
  return due.state === 'waiting' ? plan(deps, due, identity) : read(deps, due, identity)
}

const later = ({ state, instrument, attempts }: DueVerdict, pauseMs = soonMs): VerdictStep => ({
  state,
  instrument,
  afterMs: Math.min(maxPauseMs, pauseMs * 1.3 ** Math.min(attempts, 20)),
})

async function plan(deps: JudgeCallsDeps, due: DueVerdict, identity: Identity): Promise<VerdictStep> {
  const run = await readRun(deps, due, identity)
  if (run === 'off') return { state: 'failed', failure: 'not_logged' }
  if (run === null || run.steps.length < due.requests) {
    if (due.endedMs < maxLogMs) return later(due, 1_000)
    if (run === null || run.steps.length === 0) {
      return due.endedMs < maxUnloggedMs ? later(due) : { state: 'failed', failure: 'not_logged' }
    }
  }
  const judge = await findJudge(deps, due, identity)
  if (judge === null) return { state: 'failed', failure: 'no_judge' }
  const [first] = run.steps
  const { instrument } = judge
  const body = {
    criterion_id: publicId('criterion', due.criterionId),
    instrument,
    source: 'gate' as const,
    runs: [
      {
        trace_id: run.trace_id,
        step_ids: run.steps.map(({ id }) => id),
        segment: first?.segment ?? '',
        tag: first?.tag ?? null,
        canary: due.isCanary,
        last_at: run.last_at,
        expires_at: run.expires_at,
      },
    ],
  }
  await deps.judging.call(planGateJudgements, { body }, identity)
  return { state: 'planned', instrument, afterMs: soonMs }
}

/** @returns `off`: the workspace does not log */
async function readRun(
  { logging }: JudgeCallsDeps,
  { id }: DueVerdict,
  identity: Identity,
): Promise<LoggedRun | 'off' | null> {
  try {
    const { data } = await logging.call(readRuns, { body: { trace_ids: [publicId('call', id)] } }, identity)
    return data[0] ?? null
  } catch (error) {
    if (error instanceof FleetCallError && error.code === 'logging_disabled') return 'off'
    throw error
  }
}

async function findJudge({ judging }: JudgeCallsDeps, { criterionId }: DueVerdict, identity: Identity) {
  try {
    const found = await judging.call(gateJudge, { params: { id: publicId('criterion', criterionId) } }, identity)
    const { criterion } = found
    return criterion.status === 'retired' || criterion.unit !== 'trace' ? null : found
  } catch (error) {
    if (error instanceof FleetCallError && error.status === 404 && error.code === 'not_found') return null
    throw error
  }
}

async function read(deps: JudgeCallsDeps, due: DueVerdict, identity: Identity): Promise<VerdictStep> {
  const judge = await findJudge(deps, due, identity)
  if (judge === null) return { state: 'failed', failure: 'no_judge' }
  const body = {
    criterion_id: publicId('criterion', due.criterionId),
    instrument: due.instrument ?? judge.instrument,
    source: 'gate' as const,
    trace_ids: [publicId('call', due.id)],
  }
  const { data } = await deps.judging.call(readGateVerdicts, { body }, identity)
  const found = data[0]
  // The judge may have forgotten it, for example because a step was deleted.
  if (found === undefined) return { ...later(due), state: 'waiting' } as VerdictStep
  if (found.state === 'pending') return later(due)
  if (found.verdict === null) return { state: 'failed', failure: 'unjudged' }
  return { state: 'done', verdict: found.verdict, trust: judge.criterion.trust }
}
