import type { Identity } from '@ratchet/contracts/identity'
import {
  type GateItem,
  type GateRun,
  gateJudge,
  noteEvalJudge,
  planGateJudgements,
  readGateVerdicts,
} from '@ratchet/contracts/internal-judging'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { z } from 'zod'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { type DescribeDeps, describeCriterion } from '../criteria/describe-criteria.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import type { JudgementStore } from '../judgements/judgement.ts'
import type { LoggedRunItem } from '../judgements/plan-logged.ts'
import { isPaused } from '../monitor/online-criterion.ts'
import { weekWindow } from '../runs/week-window.ts'
import {
  type GateExchange,
  type GateJudgementKey,
  gateJudgementId,
  gateRunJudgementId,
  planGateJudgement,
  planGateRun,
} from './gate-judgement.ts'
import type { GateReads } from './pg-gate-reads.ts'
import { verdictCost } from './verdict-cost.ts'

interface GateRouteDeps extends DescribeDeps {
  readonly criteria: CriterionStore
  readonly judgements: JudgementStore
  readonly gates: GateReads
  readonly models: ModelCatalog
  readonly enqueueJudgements: (ids: readonly string[]) => Promise<void>
}

/** For the gates of aliases, and for evals. The edge does not expose these endpoints. */
export function gateRoutes(router: Router, deps: GateRouteDeps): void {
  const { criteria, calibrations, now } = deps
  mount(router, gateJudge, async ({ params, identity }) => {
    const criterion = await requireCriterion(criteria, identity, params.id)
    const { id, instrument, onlineCapNano: capNano } = criterion
    const spent = await calibrations.onlineSpent([id], weekWindow(now()).start)
    const over_cap = isPaused({ capNano, spentNano: spent.get(id) ?? 0n })
    const verdict_cost = await verdictCost(deps, { criterion, identity })
    return { criterion: await describeCriterion(deps, criterion), instrument, over_cap, verdict_cost }
  })
  mountJson(router, noteEvalJudge, async ({ body, identity }) => {
    await criteria.noteEval(await requireCriterion(criteria, identity, body.criterion_id), now())
    return { reply: { noted: true as const } }
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
  requireUnit(criterion, { exchanges: body.items.length, runs: body.runs.length, source: body.source })
  const key = keyOf(criterion, body)
  const planning = { key, workspaceId: criterion.workspaceId, at: now() }
  const planned =
    criterion.unit === 'trace'
      ? (await notMonitored(deps, criterion, body, body.runs.map(runOf))).map((run) => planGateRun(planning, run))
      : (await notMonitored(deps, criterion, body, body.items.map(exchangeOf(body.source)))).map((exchange) =>
          planGateJudgement(planning, exchange),
        )
  const added = await judgements.plan(planned)
  await enqueueJudgements(added)
  return added.length
}

/** The monitor may judge served answers and runs already; it never judges answers of shadows. */
async function notMonitored<T extends { readonly logId: string } | { readonly traceId: string }>(
  { gates }: GateRouteDeps,
  { id: criterionId, unit }: StoredCriterion,
  { instrument, source }: PlanBody,
  items: readonly T[],
): Promise<readonly T[]> {
  if (source === 'shadow') return items
  const monitored = await gates.monitored({ criterionId, instrument, unit }, items.map(itemIdOf))
  return items.filter((item) => !monitored.has(itemIdOf(item)))
}

function itemIdOf(item: { readonly logId: string } | { readonly traceId: string }): string {
  return 'logId' in item ? item.logId : item.traceId
}

interface SentItems {
  readonly exchanges: number
  readonly runs: number
  readonly source: GateJudgementKey['source']
}

/** @throws ServiceError `unsupported_unit` for runs and a judge of exchanges, or the other way round; a shadow has no runs */
function requireUnit({ unit }: Pick<StoredCriterion, 'unit'>, { exchanges, runs, source }: SentItems): void {
  const isRefused = unit === 'trace' ? exchanges > 0 || source === 'shadow' : runs > 0
  if (!isRefused) return
  const message = unit === 'trace' ? 'This judge judges complete runs.' : 'This judge judges single exchanges.'
  throw new ServiceError('unsupported_unit', message, { param: 'criterion_id' })
}

type ReadBody = z.output<typeof readGateVerdicts.body>

async function read({ criteria, gates, now }: GateRouteDeps, identity: Identity, body: ReadBody) {
  const criterion = await requireCriterion(criteria, identity, body.criterion_id)
  requireUnit(criterion, { exchanges: body.log_ids.length, runs: body.trace_ids.length, source: body.source })
  const { workspaceId, id: criterionId, unit } = criterion
  const key = keyOf(criterion, body)
  const itemIds =
    unit === 'trace'
      ? [...new Set(body.trace_ids)]
      : [...new Set(body.log_ids.map((id) => requireLogUuid(id, 'log_ids')))]
  const ids = itemIds.map((id) => (unit === 'trace' ? gateRunJudgementId(key, id) : gateJudgementId(key, id)))
  // The monitor judges, and people grade, served answers only.
  const served = body.source === 'gate' ? itemIds : []
  const grading = { workspaceId, criterionId, unit }
  const [verdicts, grades, draws] = await Promise.all([
    gates.verdicts({ ...key, unit, ids, monitored: served }),
    gates.grades(grading, served),
    served.length === 0 ? null : gates.draws(criterion, served, now()),
  ])
  return verdicts.map(({ itemId, isOfMonitor, ...verdict }) => ({
    log_id: unit === 'trace' ? null : publicId('log', itemId),
    trace_id: unit === 'trace' ? itemId : null,
    ...verdict,
    by_monitor: isOfMonitor,
    grade: grades.get(itemId) ?? null,
    skip_probability: draws?.get(itemId)?.skipProbability ?? null,
    grade_probability: draws?.get(itemId)?.probability ?? null,
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

function runOf({ trace_id, step_ids, segment, tag, canary, last_at, expires_at }: GateRun): LoggedRunItem {
  return {
    traceId: trace_id,
    stepIds: step_ids.map((id) => requireLogUuid(id, 'runs')),
    segment,
    tag,
    isCanary: canary,
    createdAt: new Date(last_at),
    expiresAt: new Date(expires_at),
  }
}

function requireLogUuid(id: string, param: string): string {
  const uuid = uuidOf('log', id)
  if (uuid === null) throw new ServiceError('invalid_request', `${id} is not the id of a log entry.`, { param })
  return uuid
}
