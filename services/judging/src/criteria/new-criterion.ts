import type { CreateCriterion, UpdateCriterion } from '@ratchet/contracts/criteria'
import { usdToNano } from '@ratchet/contracts/money'
import type { RequestedPatch } from './change-criterion.ts'
import type { StoredCriterion } from './criterion.ts'

export function newCriterion(
  body: CreateCriterion,
  created: Pick<StoredCriterion, 'id' | 'workspaceId' | 'judgeModel' | 'checks' | 'createdBy' | 'createdAt'>,
): StoredCriterion {
  return {
    ...created,
    name: body.name,
    description: body.description,
    judgePrompt: body.judge_prompt,
    status: 'draft',
    source: body.source,
    unit: body.unit,
    population: body.population,
    populationFamily: body.population_family,
    onlineEnabled: body.online_enabled,
    onlinePercent: body.online_percent,
    onlineCapNano: usdToNano(body.online_cap_usd),
    driftSignal: null,
    driftReason: null,
    driftCause: null,
    driftCheckedAt: null,
    driftClearSweeps: 0,
    instrument: 1,
  }
}

export function patchOf(body: UpdateCriterion): RequestedPatch {
  return {
    name: body.name,
    description: body.description,
    judgePrompt: body.judge_prompt,
    judgeModel: body.judge_model,
    checks: body.checks,
    population: body.population,
    populationFamily: body.population_family,
    onlineEnabled: body.online_enabled,
    onlinePercent: body.online_percent,
    onlineCapNano: body.online_cap_usd === undefined ? undefined : usdToNano(body.online_cap_usd),
    status: body.status,
  }
}
