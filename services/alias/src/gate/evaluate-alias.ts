import type { Identity } from '@ratchet/contracts/identity'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { isGated, type StoredAlias } from '../aliases/alias.ts'
import type { AliasStore } from '../aliases/pg-aliases.ts'
import { type CollectShadowsDeps, collectShadowVerdicts } from '../shadows/collect-shadow-verdicts.ts'
import { collectGrades, collectVerdicts } from './collect-verdicts.ts'
import { type ConclusionIds, concludeEvaluation } from './conclude-evaluation.ts'
import { decideGate } from './decide-gate.ts'
import { type FindSamplesDeps, findSamples, type Watched } from './find-samples.ts'
import { gateEvidence } from './gate-evidence.ts'
import type { GateJudge } from './gate-judge.ts'
import type { GateRules } from './gate-timing.ts'
import type { CollectVerdictsDeps } from './judged-alias.ts'
import type { CanaryStore } from './pg-canary.ts'

export interface EvaluateAliasDeps extends FindSamplesDeps, CollectVerdictsDeps, CollectShadowsDeps, ConclusionIds {
  readonly log: FindSamplesDeps['log'] & CollectVerdictsDeps['log']
  readonly aliases: Pick<AliasStore, 'save'>
  readonly canary: CanaryStore
  /** Reads the current judge of a gate; null when it does not exist any more. */
  readonly judgeOf: (identity: Identity, criterionId: string) => Promise<GateJudge | null>
  readonly rules: GateRules
  readonly onEvent: (event: EvaluationEvent) => void
}

export interface EvaluationEvent {
  /** `lost`: the alias was changed meanwhile. `failed`: a part of the evidence could not be read. */
  readonly kind: 'evaluated' | 'acted' | 'restarted' | 'lost' | 'failed'
  readonly aliasId: string
  readonly state?: string
  readonly cause?: unknown
}

/**
 * Evaluates an alias once: finds new samples in the log, has them judged, collects verdicts and grades, and decides when
 * a gate watches. Guards use counts that inference reports, so a gate decides also while the log or judging is unavailable.
 */
export async function evaluateAlias(deps: EvaluateAliasDeps, alias: StoredAlias): Promise<void> {
  const identity = workerIdentity(alias.workspaceId, alias.createdBy)
  const judge = await findJudge(deps, alias, identity)
  if (!isGated(alias.settings)) return gather(deps, { alias, identity, judge })
  if (judge !== null && hasNewInstrument(judge, alias.gate.judge)) return restart(deps, alias, judge)
  await gather(deps, { alias, identity, judge }).catch((cause: unknown) =>
    deps.onEvent({ kind: 'failed', aliasId: alias.id, cause }),
  )
  await decide(deps, alias, judge)
}

/** The current judge, or the last known one while judging is unavailable; null without a judge. */
async function findJudge(deps: EvaluateAliasDeps, alias: StoredAlias, identity: Identity): Promise<GateJudge | null> {
  const { gate_criterion_id: criterionId } = alias.settings
  if (criterionId === null) return null
  return deps.judgeOf(identity, criterionId).catch((cause: unknown) => {
    deps.onEvent({ kind: 'failed', aliasId: alias.id, cause })
    return alias.gate.judge === null ? null : { ...alias.gate.judge, isAway: true }
  })
}

/** Verdicts of two instruments are never added. */
function hasNewInstrument(judge: GateJudge, before: GateJudge | null): boolean {
  return before !== null && before.criterionId === judge.criterionId && before.instrument !== judge.instrument
}

async function restart(deps: EvaluateAliasDeps, alias: StoredAlias, judge: GateJudge): Promise<void> {
  const { canary, now, newId, firstIdAt, onEvent } = deps
  const { id: aliasId, workspaceId, settings } = alias
  const createdAt = now()
  const isSaved = await canary.restart(alias, {
    judge,
    cursorLogId: firstIdAt(createdAt),
    event: {
      id: newId(),
      workspaceId,
      aliasId,
      aliasName: settings.name,
      kind: 'gate_reset',
      actor: { type: 'gate' },
      before: settings,
      after: settings,
      evidence: { instrument_before: alias.gate.judge?.instrument ?? null, instrument_after: judge.instrument },
      reason: 'The judge was changed: its earlier verdicts do not count.',
      createdAt,
    },
  })
  onEvent({ kind: isSaved ? 'restarted' : 'lost', aliasId })
}

async function gather(deps: EvaluateAliasDeps, { alias, identity, judge }: Watched): Promise<void> {
  const hasGate = isGated(alias.settings)
  // The judge decides which answers are scored, so without it the log is read later.
  if (hasGate && judge === null) return
  await findSamples(deps, { alias, identity, judge: hasGate ? judge : null })
  // A retired judge judges nothing, and its open samples must not be counted as unjudged.
  if (judge === null || judge.isAway || judge.isRetired) return
  await collectShadowVerdicts(deps, { alias, identity, judge })
  if (!hasGate) return
  await collectVerdicts(deps, { alias, identity, judge })
  await collectGrades(deps, { alias, identity, judge })
}

async function decide(deps: EvaluateAliasDeps, alias: StoredAlias, judge: GateJudge | null): Promise<void> {
  const { settings, epoch } = alias
  const at = deps.now()
  const counts = await deps.canary.counts(alias, at)
  const { arms, segments } = counts
  const elapsedMs = at.getTime() - epoch.startedAt.getTime()
  const decision = decideGate(gateEvidence({ settings, judge, arms, segments }), { elapsedMs, rules: deps.rules })
  const conclusion = concludeEvaluation({ alias, judge, ...counts, decision, at }, deps)
  const isSaved =
    conclusion.kind === 'change'
      ? await deps.aliases.save(conclusion.change)
      : await deps.canary.saveEvaluation(alias, conclusion.evaluation)
  const kind = !isSaved ? 'lost' : conclusion.kind === 'change' ? 'acted' : 'evaluated'
  deps.onEvent({ kind, aliasId: alias.id, state: decision.state })
}
