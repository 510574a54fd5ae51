import type { Identity } from '@ratchet/contracts/identity'
import { type GateItem, gateJudge, planGateJudgements, readGateVerdicts } from '@ratchet/contracts/internal-judging'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { z } from 'zod'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { type DescribeDeps, describeCriterion } from '../criteria/describe-criteria.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import type { JudgementStore } from '../judgements/judgement.ts'
import { isPaused } from '../monitor/online-criterion.ts'
import { weekWindow } from '../runs/week-window.ts'
import { type GateExchange, type GateJudgementKey, gateJudgementId, planGateJudgement } from './gate-judgement.ts'
import type { GateReads } from './pg-gate-reads.ts'

interface GateRouteDeps extends DescribeDeps {
  readonly criteria: CriterionStore
  readonly judgements: JudgementStore
  readonly gates: GateReads
  readonly enqueueJudgements: (ids: readonly string[]) => Promise<void>
}

/** For the gates of aliases. The edge does not expose these endpoints. */
export function gateRoutes(router: Router, deps: GateRouteDeps): void {
  const { criteria, calibrations, now } = deps
  mount(router, gateJudge, async ({ params, identity }) => {
    const criterion = await requireCriterion(criteria, identity, params.id)
    const { id, instrument, onlineCapNano: capNano } = criterion
    const spent = await calibrations.onlineSpent([id], weekWindow(now()).start)
    const over_cap = isPaused({ capNano, spentNano: spent.get(id) ?? 0n })
    return { criterion: await describeCriterion(deps, criterion), instrument, over_cap }
  })
  mountJson(router, planGateJudgements, async ({ body, identity }) => ({
    reply: { planned: await plan(deps, identity, body) },
  }))
  mountJson(router, readGateVerdicts, async ({ body, identity }) => ({
    reply: { data: await read(deps, identity, body) },
  }))
}

type PlanBody = z.output<typeof planGateJudgements.body>

async function plan(deps: GateRouteDeps, identity: Identity, body: PlanBody): Promise<number> {
  const { criteria, judgements, now, enqueueJudgements } = deps
  const criterion = await requireCriterion(criteria, identity, body.criterion_id)
  if (body.instrument !== criterion.instrument) {
    throw new ServiceError('conflict', `The judge has changed: its instrument is ${criterion.instrument} now.`, {
      param: 'instrument',
    })
  }
  const key = keyOf(criterion, body)
  const exchanges = await notMonitored(deps, key, body.items.map(exchangeOf(body.source)))
  const planning = { key, workspaceId: criterion.workspaceId, at: now() }
  const added = await judgements.plan(exchanges.map((exchange) => planGateJudgement(planning, exchange)))
  await enqueueJudgements(added)
  return added.length
}

/** The monitor may judge served answers already; it never judges answers of shadows. */
async function notMonitored({ gates }: GateRouteDeps, key: GateJudgementKey, exchanges: readonly GateExchange[]) {
  if (key.source === 'shadow') return exchanges
  const logIds = exchanges.map(({ logId }) => logId)
  const monitored = await gates.monitored(key, logIds)
  return exchanges.filter(({ logId }) => !monitored.has(logId))
}

type ReadBody = z.output<typeof readGateVerdicts.body>

async function read({ criteria, gates }: GateRouteDeps, identity: Identity, body: ReadBody) {
  const criterion = await requireCriterion(criteria, identity, body.criterion_id)
  const logIds = [...new Set(body.log_ids.map((id) => requireLogUuid(id, 'log_ids')))]
  const { workspaceId, id: criterionId } = criterion
  const key = keyOf(criterion, body)
  const ids = logIds.map((logId) => gateJudgementId(key, logId))
  // The monitor judges, and people grade, served answers only.
  const served = body.source === 'gate' ? logIds : []
  const [verdicts, grades, draws] = await Promise.all([
    gates.verdicts({ ...key, ids, monitored: served }),
    gates.grades({ workspaceId, criterionId }, served),
    gates.drawProbabilities({ workspaceId, criterionId }, served),
  ])
  return verdicts.map(({ logId, ...verdict }) => ({
    log_id: publicId('log', logId),
    ...verdict,
    grade: grades.get(logId) ?? null,
    grade_probability: draws.get(logId) ?? null,
  }))
}

function keyOf(
  { id }: StoredCriterion,
  { instrument, source, shadow_of: shadowOf }: PlanBody | ReadBody,
): GateJudgementKey {
  return { criterionId: id, instrument, source, shadowOf }
}

function exchangeOf(source: GateJudgementKey['source']) {
  return ({ log_id: id, response, segment, tag, created_at, expires_at }: GateItem): GateExchange => {
    if ((response !== null) !== (source === 'shadow')) {
      throw new ServiceError(
        'invalid_request',
        'Items need a response if the source is shadow, and must not have one otherwise.',
        {
          param: 'items',
        },
      )
    }
    const logId = requireLogUuid(id, 'items')
    return { logId, response, segment, tag, createdAt: new Date(created_at), expiresAt: new Date(expires_at) }
  }
}

function requireLogUuid(id: string, param: string): string {
  const uuid = uuidOf('log', id)
  if (uuid === null) throw new ServiceError('invalid_request', `${id} is not the id of a log entry.`, { param })
  return uuid
}
