import { getAliasGate, getGatePlan, nextToGradeOfGate } from '@ratchet/contracts/alias-gate'
import type { Identity } from '@ratchet/contracts/identity'
import { publicId } from '@ratchet/contracts/public-id'
import { listGateLooks } from '@ratchet/contracts/session-aliases'
import { mount } from '@ratchet/service-kit/http/mount'
import { notFound } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { isGated, type StoredAlias } from '../aliases/alias.ts'
import type { AliasStore } from '../aliases/pg-aliases.ts'
import type { FindJudge } from '../aliases/require-judge.ts'
import { requireAlias } from '../aliases/save-alias.ts'
import { type CountsByArm, noGrades, noScores } from './arm-counts.ts'
import { drawAnswers } from './draw-answers.ts'
import type { GateJudge } from './gate-judge.ts'
import { gateReply } from './gate-reply.ts'
import type { CanaryStore } from './pg-canary.ts'
import type { GateLooks } from './pg-gate-looks.ts'
import { assumedArms, planGate } from './plan-gate.ts'
import { planBefore } from './plan-reply.ts'
import { judgesRuns } from './run-rules.ts'

export interface GateRouteDeps {
  readonly aliases: Pick<AliasStore, 'get'>
  readonly canary: Pick<CanaryStore, 'counts' | 'planCounts' | 'drawable' | 'saveDraws'>
  readonly looks: Pick<GateLooks, 'list'>
  readonly findJudge: FindJudge
  readonly now: () => Date
}

/** A split that a gate ended is shown as it was then. */
export function gateRoutes(router: Router, deps: GateRouteDeps): void {
  const { aliases, canary, now } = deps
  mount(router, getAliasGate, async ({ params, identity }) => {
    const alias = await requireAlias(aliases, identity, params.name)
    const counts = await canary.counts(alias, now())
    const live = gateReply({ alias, ...counts, at: now() })
    // The shadow model continues after the end of a split, so its counts are current.
    return alias.gate.verdict === null ? live : { ...alias.gate.verdict, shadow: live.shadow }
  })
  mount(router, listGateLooks, async ({ params, query, identity }) => {
    const alias = await requireAlias(aliases, identity, params.name)
    const { epochs, looks: data } = await deps.looks.list(alias, query.epoch ?? null)
    return { object: 'alias.looks' as const, alias: alias.settings.name, epochs, data }
  })
  mount(router, getGatePlan, async ({ params, query, identity }) => {
    const alias = await requireAlias(aliases, identity, params.name)
    const { fail_rate: failRate, gate_criterion_id: criterionId, ...changes } = query
    const { arms: counted, shadow } = await canary.planCounts(alias, now())
    const judge = await plannedJudge(deps, identity, { alias, criterionId })
    const arms = judgesRuns(judge) === judgesRuns(alias.gate.judge) ? counted : withoutScores(counted)
    const settings = { ...alias.settings, ...given(changes) }
    const failing = failRate ?? null
    const plan = planBefore({ settings, judge, arms, shadow, epoch: alias.epoch, at: now(), failRate: failing })
    return { object: 'alias.gate_plan' as const, alias: alias.settings.name, plan }
  })
  mount(router, nextToGradeOfGate, async ({ params, query: { limit }, identity }) => {
    const alias = await requireAlias(aliases, identity, params.name)
    const { settings, gate } = alias
    const data = isGated(settings) ? await draw(deps, alias, limit) : []
    return { object: 'list' as const, criterion_id: gate.judge?.criterionId ?? settings.gate_criterion_id, data }
  })
}

/** The judge of the alias, or another that the plan is for; null without one. */
async function plannedJudge(
  { findJudge }: Pick<GateRouteDeps, 'findJudge'>,
  identity: Identity,
  { alias, criterionId }: { readonly alias: StoredAlias; readonly criterionId: string | undefined },
): Promise<GateJudge | null> {
  const id = criterionId ?? alias.settings.gate_criterion_id
  if (id === null) return null
  if (criterionId === undefined && alias.gate.judge !== null) return alias.gate.judge
  const found = await findJudge(identity, id)
  if (found === null) throw notFound('criterion', 'gate_criterion_id')
  return found
}

/** Scores of answers say nothing about the number of runs, or their fail rate, and the other way round. */
function withoutScores({ target, canary }: CountsByArm): CountsByArm {
  return { target: { ...target, ...noScores, ...noGrades }, canary: { ...canary, ...noScores, ...noGrades } }
}

/** Without the parameters that were left out. */
function given<T extends object>(changes: T) {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>
  }
}

async function draw({ canary, now }: GateRouteDeps, alias: StoredAlias, limit: number) {
  const [strata, { arms }] = await Promise.all([canary.drawable(alias, limit), canary.counts(alias, now())])
  const { settings, gate } = alias
  const { grades } = planGate({ settings, assumed: assumedArms(gate.judge, arms.target) })
  const ofRuns = judgesRuns(gate.judge)
  const drawn = drawAnswers(strata, { grades, limit })
  await canary.saveDraws(alias, drawn, now())
  // The probability stays here, where grades are weighted: it is that of an arm and verdict, and would name them.
  return drawn.map(({ logId, cluster }) => ({
    log_id: ofRuns ? null : publicId('log', logId),
    trace_id: ofRuns ? cluster : null,
  }))
}
