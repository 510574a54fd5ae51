import { readGateVerdicts } from '@ratchet/contracts/internal-judging'
import { type WeighedSplit, weighSplit } from '@ratchet/contracts/internal-split'
import { publicId } from '@ratchet/contracts/public-id'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import type { CanaryCounts, CanaryStore, StoredCanary } from './canary.ts'

export interface WatchCanariesDeps {
  readonly canaries: CanaryStore
  readonly judging: Pick<FleetClient, 'call'>
  readonly alias: Pick<FleetClient, 'call'>
  readonly now: () => Date
  readonly newId: () => string
  readonly onError: (error: unknown) => void
}

const atOnce = 8
const everyMs = 10_000
const maxGrades = 500

/** Evaluates the gates that are due, and does what they decide. To be called every few seconds, by any number of processes. */
export async function watchCanaries(deps: WatchCanariesDeps): Promise<void> {
  const due = await deps.canaries.take(atOnce, everyMs)
  await Promise.all(due.map((canary) => watch(deps, canary).catch(deps.onError)))
}

async function watch(deps: WatchCanariesDeps, canary: StoredCanary): Promise<void> {
  const { canaries, now, newId } = deps
  await collectGrades(deps, canary).catch(deps.onError)
  const counts = await canaries.counts(canary)
  const at = now()
  const weighed = await weigh(deps, canary, { counts, at })
  const before = canary.finding?.instrument ?? null
  if (before !== null && weighed.instrument !== null && weighed.instrument !== before) {
    return canaries.restart(canary, { eventId: newId(), at })
  }
  const finding = { ...weighed, arms: counts }
  if (weighed.action === null) return canaries.saveLook(canary, finding, at)
  const kind = weighed.action === 'promote' ? 'promoted' : 'rolled_back'
  await canaries.decide(canary, { kind, finding, eventId: newId(), at })
}

function weigh(
  { alias }: WatchCanariesDeps,
  { workspaceId, userId, settings, startedAt }: StoredCanary,
  { counts, at }: { readonly counts: CanaryCounts; readonly at: Date },
): Promise<WeighedSplit> {
  const { short: _short, ...target } = counts.target
  const { short: _canaryShort, ...canary } = counts.canary
  const body = {
    criterion_id: publicId('criterion', settings.gate_criterion_id),
    mode: settings.gate_mode,
    min_samples_per_arm: settings.gate_min_samples_per_arm,
    rollback_threshold: settings.gate_rollback_threshold,
    confidence: settings.gate_confidence,
    window_hours: settings.gate_window_hours,
    canary_percent: settings.percent,
    elapsed_ms: Math.max(0, at.getTime() - startedAt.getTime()),
    guard: guardOf(settings),
    target,
    canary,
  }
  return alias.call(weighSplit, { body }, workerIdentity(workspaceId, userId))
}

/** Calls that end before there is a talk are not judged, so an arm must not have more of them. */
function guardOf({ gate_guard: guard, gate_rollback_threshold: threshold }: StoredCanary['settings']) {
  const { max_hangup_increase: hangup, max_tool_error_increase: tools, max_latency_ratio, max_cost_ratio } = guard
  return {
    max_increase: {
      short_increase: threshold,
      ...(hangup === null ? {} : { hangup_increase: hangup }),
      ...(tools === null ? {} : { tool_error_increase: tools }),
    },
    max_latency_ratio,
    max_cost_ratio,
  }
}

/** Reads what people said of scored calls; of many, some at each evaluation. */
async function collectGrades({ canaries, judging }: WatchCanariesDeps, canary: StoredCanary): Promise<void> {
  const { workspaceId, userId, settings } = canary
  const calls = await canaries.gradable(canary, maxGrades)
  const instrument = calls[0]?.instrument
  const same = calls.filter((call) => call.instrument === instrument)
  if (instrument === undefined) return
  const body = {
    criterion_id: publicId('criterion', settings.gate_criterion_id),
    instrument,
    source: 'gate' as const,
    trace_ids: same.map(({ id }) => publicId('call', id)),
  }
  const { data } = await judging.call(readGateVerdicts, { body }, workerIdentity(workspaceId, userId))
  const found = new Map(data.map((each) => [each.trace_id, each]))
  await canaries.saveGrades(
    canary,
    same.map(({ id }) => {
      const { grade = null, grade_probability = null, skip_probability = null } = found.get(publicId('call', id)) ?? {}
      return { id, grade, probability: grade_probability, skipProbability: skip_probability }
    }),
  )
}
