import type { Identity } from '@ratchet/contracts/identity'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { type AliasStore, isGated, type StoredAlias } from '../aliases/alias.ts'
import { type CollectShadowsDeps, collectShadowVerdicts } from '../shadows/collect-shadow-verdicts.ts'
import type { CanaryStore } from './canary-store.ts'
import { type CollectVerdictsDeps, collectGrades, collectVerdicts } from './collect-verdicts.ts'
import { concludeEvaluation } from './conclude-evaluation.ts'
import { type AutoRules, decideGate } from './decide-gate.ts'
import { type FindSamplesDeps, findSamples, type Watched } from './find-samples.ts'
import type { GateJudge } from './gate-judge.ts'
import { readGate } from './read-gate.ts'

export interface EvaluateAliasDeps extends FindSamplesDeps, CollectVerdictsDeps, CollectShadowsDeps {
  readonly log: FindSamplesDeps['log'] & CollectVerdictsDeps['log']
  readonly aliases: Pick<AliasStore, 'save'>
  readonly canary: CanaryStore
  /** The judge of a gate as it is now; null when it is gone. */
  readonly judgeOf: (identity: Identity, criterionId: string) => Promise<GateJudge | null>
  readonly rules: AutoRules
  readonly newId: () => string
  /** The id of what is said of a split once. */
  readonly onceIdOf: (alias: StoredAlias, said: string) => string
  readonly onEvent: (event: EvaluationEvent) => void
}

export interface EvaluationEvent {
  /** `lost`: the alias was changed meanwhile. `failed`: something of it could not be asked. */
  readonly kind: 'looked' | 'acted' | 'restarted' | 'lost' | 'failed'
  readonly aliasId: string
  readonly state?: string
  readonly cause?: unknown
}

/**
 * One look at an alias: what came by is found, judged and counted, and where a gate watches, decided on. The guard of a
 * gate reads what inference reports, so it stands while the log or the judges are away.
 */
export async function evaluateAlias(deps: EvaluateAliasDeps, alias: StoredAlias): Promise<void> {
  const identity = workerIdentity(alias.workspaceId, alias.createdBy)
  const judge = await findJudge(deps, alias, identity)
  if (!isGated(alias.settings)) return gather(deps, { alias, identity, judge })
  if (judge !== null && isAnother(judge, alias.gate.judge)) return restart(deps, alias, judge)
  await gather(deps, { alias, identity, judge }).catch((cause: unknown) =>
    deps.onEvent({ kind: 'failed', aliasId: alias.id, cause }),
  )
  await conclude(deps, alias, judge)
}

/** The judge as it is, or as it was known to be while it cannot be asked about; null without one. */
async function findJudge(deps: EvaluateAliasDeps, alias: StoredAlias, identity: Identity): Promise<GateJudge | null> {
  const { gate_criterion_id: criterionId } = alias.settings
  if (criterionId === null) return null
  return deps.judgeOf(identity, criterionId).catch((cause: unknown) => {
    deps.onEvent({ kind: 'failed', aliasId: alias.id, cause })
    return alias.gate.judge === null ? null : { ...alias.gate.judge, isAway: true }
  })
}

/** Verdicts of an instrument are never added to those of another. */
function isAnother(judge: GateJudge, before: GateJudge | null): boolean {
  return before !== null && before.criterionId === judge.criterionId && before.instrument !== judge.instrument
}

async function restart(
  { canary, now, newId, firstIdAt, onEvent }: EvaluateAliasDeps,
  alias: StoredAlias,
  judge: GateJudge,
) {
  const { id: aliasId, workspaceId, settings } = alias
  const createdAt = now()
  const kept = await canary.restart(alias, {
    judge,
    cursorLogId: firstIdAt(createdAt),
    event: {
      id: newId(),
      workspaceId,
      aliasId,
      aliasName: settings.name,
      kind: 'gate_reset' as const,
      actor: { type: 'gate' },
      before: settings,
      after: settings,
      evidence: { instrument_before: alias.gate.judge?.instrument ?? null, instrument_after: judge.instrument },
      reason: 'The judge was changed: what it said before does not count.',
      createdAt,
    },
  })
  onEvent({ kind: kept ? 'restarted' : 'lost', aliasId })
}

async function gather(deps: EvaluateAliasDeps, { alias, identity, judge }: Watched): Promise<void> {
  // Without a judge nobody knows which answers are to be scored: the log is read once there is one.
  if (isGated(alias.settings) && judge === null) return
  await findSamples(deps, { alias, identity, judge: isGated(alias.settings) ? judge : null })
  // What a retired judge is asked is not judged, and is not to be taken for what cannot be.
  if (judge === null || judge.isAway || judge.isRetired) return
  await collectShadowVerdicts(deps, { alias, identity, judge })
  if (!isGated(alias.settings)) return
  await collectVerdicts(deps, { alias, identity, judge })
  await collectGrades(deps, { alias, identity, judge })
}

async function conclude(deps: EvaluateAliasDeps, alias: StoredAlias, judge: GateJudge | null): Promise<void> {
  const { settings, epoch } = alias
  const at = deps.now()
  const counts = await deps.canary.counts(alias, at)
  const question = { settings, judge, arms: counts.arms }
  const elapsedMs = at.getTime() - epoch.startedAt.getTime()
  const decision = decideGate({ ...question, reading: readGate(question), elapsedMs, rules: deps.rules })
  const { newId, onceIdOf, firstIdAt } = deps
  const conclusion = concludeEvaluation({ alias, judge, ...counts, decision, at, newId, onceIdOf, firstIdAt })
  const isKept =
    conclusion.kind === 'change'
      ? await deps.aliases.save(conclusion.change)
      : await deps.canary.saveEvaluation(alias, conclusion.evaluation)
  const kind = !isKept ? 'lost' : conclusion.kind === 'change' ? 'acted' : 'looked'
  deps.onEvent({ kind, aliasId: alias.id, state: decision.state })
}
