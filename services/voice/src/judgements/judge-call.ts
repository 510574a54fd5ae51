import type { Identity } from '@ratchet/contracts/identity'
import { type GateRun, gateJudge, planGateJudgements, readGateVerdicts } from '@ratchet/contracts/internal-judging'
import { type LoggedRun, readRuns } from '@ratchet/contracts/internal-logs'
import { publicId } from '@ratchet/contracts/public-id'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { type DueVerdict, failureBefore, pauseMs, type VerdictStep, type VerdictStore } from './call-verdict.ts'

export interface JudgeCallsDeps {
  readonly verdicts: VerdictStore
  readonly logging: Pick<FleetClient, 'call'>
  readonly judging: Pick<FleetClient, 'call'>
  readonly onError: (error: unknown, call: { readonly callId: string }) => void
}

/** As many as runs are read from the log at once. */
const atOnce = 20
/** The log has what was answered within seconds. An answer that was broken off is never in it. */
const maxLogMs = 20_000
/** After that the log has nothing of the call, because logging is off or its model is not logged. */
const maxUnloggedMs = 120_000

/** Moves every call that is due one step towards its verdicts. To be called every second, by any number of processes. */
export async function judgeCalls(deps: JudgeCallsDeps): Promise<void> {
  const due = await deps.verdicts.take(atOnce)
  const open: DueVerdict[] = []
  for (const each of due) {
    const failure = failureBefore(each)
    if (failure === null) open.push(each)
    else await deps.verdicts.save(each, { state: 'failed', failure })
  }
  const groups = Map.groupBy(open, (each) =>
    [each.workspaceId, each.criterionId, each.state, String(each.instrument)].join(' '),
  )
  await Promise.all([...groups.values()].map((group) => judgeGroup(deps, group)))
}

/** Calls of one workspace at the same judge, which wait for the same. */
async function judgeGroup(deps: JudgeCallsDeps, group: readonly DueVerdict[]): Promise<void> {
  const [first] = group
  if (first === undefined) return
  const identity = workerIdentity(first.workspaceId, first.userId)
  try {
    const judge = await findJudge(deps, first, identity)
    const steps =
      judge === null
        ? group.map((each): Moved => [each, { state: 'failed', failure: 'no_judge' }])
        : first.state === 'waiting'
          ? await plan(deps, { group, identity, instrument: judge.instrument })
          : await read(deps, { group, identity, judge })
    for (const [each, step] of steps) await deps.verdicts.save(each, step)
  } catch (error) {
    deps.onError(error, { callId: first.id })
  }
}

type Moved = readonly [DueVerdict, VerdictStep]
type FoundJudge = NonNullable<Awaited<ReturnType<typeof findJudge>>>

interface Group {
  readonly group: readonly DueVerdict[]
  readonly identity: Identity
}

const later = (due: DueVerdict, state: 'waiting' | 'planned' = due.state): VerdictStep => ({
  state,
  instrument: due.instrument,
  afterMs: pauseMs(due.endedMs),
})

async function plan(
  deps: JudgeCallsDeps,
  { group, identity, instrument }: Group & { readonly instrument: number },
): Promise<readonly Moved[]> {
  const runs = await readGroup(deps, group, identity)
  if (runs === 'off') return group.map((each) => [each, { state: 'failed', failure: 'not_logged' }])
  const found = group.map((due) => ({ due, run: runs.get(publicId('call', due.id)) }))
  const ready = found.flatMap(({ due, run }) => (run !== undefined && isWhole(due, run) ? [{ due, run }] : []))
  if (ready.length > 0) {
    const criterion_id = publicId('criterion', ready[0]?.due.criterionId ?? '')
    const body = { criterion_id, instrument, source: 'gate' as const, runs: ready.map(gateRunOf) }
    await deps.judging.call(planGateJudgements, { body }, identity)
  }
  const planned = new Set(ready.map(({ due }) => due))
  return found.map(({ due, run }): Moved => {
    if (planned.has(due)) return [due, { state: 'planned', instrument, afterMs: pauseMs(due.endedMs) }]
    const isUnlogged = run === undefined && due.endedMs >= maxUnloggedMs
    return [due, isUnlogged ? { state: 'failed', failure: 'not_logged' } : later(due)]
  })
}

/** Whether the log has all that it will have. */
function isWhole({ requests, endedMs }: DueVerdict, { steps }: LoggedRun): boolean {
  return steps.length > 0 && (steps.length >= requests || endedMs >= maxLogMs)
}

function gateRunOf({ due, run }: { readonly due: DueVerdict; readonly run: LoggedRun }): GateRun {
  const { trace_id, steps, last_at, expires_at } = run
  const [first] = steps
  return {
    trace_id,
    step_ids: steps.map(({ id }) => id),
    segment: first?.segment ?? '',
    tag: first?.tag ?? null,
    canary: due.isCanary,
    last_at,
    expires_at,
  }
}

/** @returns `off`: the workspace does not log */
async function readGroup(
  { logging }: JudgeCallsDeps,
  group: readonly DueVerdict[],
  identity: Identity,
): Promise<ReadonlyMap<string, LoggedRun> | 'off'> {
  const body = { trace_ids: group.map(({ id }) => publicId('call', id)) }
  try {
    const { data } = await logging.call(readRuns, { body }, identity)
    return new Map(data.map((run) => [run.trace_id, run]))
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

async function read(
  deps: JudgeCallsDeps,
  { group, identity, judge }: Group & { readonly judge: FoundJudge },
): Promise<readonly Moved[]> {
  const body = {
    criterion_id: judge.criterion.id,
    instrument: group[0]?.instrument ?? judge.instrument,
    source: 'gate' as const,
    trace_ids: group.map(({ id }) => publicId('call', id)),
  }
  const { data } = await deps.judging.call(readGateVerdicts, { body }, identity)
  const verdicts = new Map(data.map((each) => [each.trace_id, each]))
  return group.map((due): Moved => {
    const found = verdicts.get(publicId('call', due.id))
    // The judge may have forgotten it, for example because a step was deleted.
    if (found === undefined) return [due, later(due, 'waiting')]
    if (found.state === 'pending') return [due, later(due)]
    if (found.verdict === null) return [due, { state: 'failed', failure: 'unjudged' }]
    return [due, { state: 'done', verdict: found.verdict, trust: judge.criterion.trust }]
  })
}
