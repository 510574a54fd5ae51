import { isRunOver } from '@ratchet/contracts/calibrations'
import {
  type Cascade,
  type CreateCascade,
  calibrateCascade,
  createCascade,
  deleteCascade,
  getCascade,
  getCascadeScan,
  listCascades,
  listUndecided,
  startCascadeScan,
} from '@ratchet/contracts/cascades'
import type { Identity } from '@ratchet/contracts/identity'
import { usdToNano } from '@ratchet/contracts/money'
import { pageReply } from '@ratchet/contracts/page'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { waitAsPreferred } from '@ratchet/service-kit/http/prefer-wait'
import { invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Request, Router } from 'express'
import { selectCounted } from '../calibration/select-counted.ts'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import type { JudgementStore } from '../judgements/judgement.ts'
import type { GradeWork } from '../labels/grade-work.ts'
import type { GradeReader } from '../labels/pg-grades.ts'
import type { JudgeRun, RunStore } from '../runs/judge-run.ts'
import { requireLog } from '../runs/require-log.ts'
import { reread } from '../runs/reread.ts'
import { runOfCriterion } from '../runs/run-of-criterion.ts'
import { isReplay, noProgress, startRunOnce } from '../runs/start-run-once.ts'
import { drawSample } from '../scans/draw-sample.ts'
import { requireFilters } from '../scans/require-filters.ts'
import type { CascadeCalibrationRequest, CascadeMember, CascadeScanRequest, StoredCascade } from './cascade.ts'
import { readMembers } from './cascade-members.ts'
import { calibrationReply, cascadeReply, scanReply } from './cascade-reply.ts'
import { type CascadeScanResult, scannedItems } from './cascade-scan-result.ts'
import { calibrationOf, readCurrentProof, readLastCalibration } from './current-proof.ts'
import { everyKnownDraw } from './every-known-draw.ts'
import type { CascadeStore } from './pg-cascades.ts'

interface CascadeRouteDeps {
  readonly gradeWork: GradeWork
  readonly cascades: CascadeStore
  readonly criteria: CriterionStore
  readonly runs: RunStore
  readonly grades: GradeReader
  readonly judgements: JudgementStore
  readonly log: LogReader
  readonly now: () => Date
  readonly newId: () => string
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
}

export function cascadeRoutes(router: Router, deps: CascadeRouteDeps): void {
  mountJson(router, createCascade, async ({ body, identity }) => {
    const cascade = await newCascade(deps, identity, body)
    await deps.cascades.create(cascade)
    return { reply: cascadeReply(cascade, { last: null, canScan: false }) }
  })
  mount(router, listCascades, async ({ query, identity: { workspaceId } }) => {
    const { total, cascades } = await deps.cascades.list({ ...query, workspaceId })
    const data = await Promise.all(cascades.map((cascade) => describe(deps, cascade)))
    return pageReply(data, total, query)
  })
  mount(router, getCascade, async ({ params, identity, request }) => {
    const cascade = await requireCascade(deps, identity, params.id)
    const isOver = ({ calibration }: Cascade) => calibration === null || isRunOver(calibration)
    return waitAsPreferred(request, { read: () => describe(deps, cascade), isOver })
  })
  mount(router, deleteCascade, async ({ params, identity }) => {
    const { workspaceId, id } = await requireCascade(deps, identity, params.id)
    if (!(await deps.cascades.delete({ workspaceId, id }))) throw notFound('cascade', 'id')
    return { id: params.id, deleted: true as const }
  })
  mountJson(router, calibrateCascade, async ({ body, params, identity, request }) => {
    const cascade = await requireCascade(deps, identity, params.id)
    const { run, headers } = await calibrate(deps, { cascade, identity, maxCostUsd: body.max_cost_usd, request })
    await deps.enqueueRuns([run.id])
    const read = () => describeCalibration(deps, cascade, run)
    return { reply: await waitAsPreferred(request, { read, isOver: isRunOver }), headers }
  })
  scanRoutes(router, deps)
}

function scanRoutes(router: Router, deps: CascadeRouteDeps): void {
  mountJson(router, startCascadeScan, async ({ body, params, identity, request }) => {
    const cascade = await requireCascade(deps, identity, params.id)
    const { filters, sample_count: sampleCount, max_cost_usd: maxCostUsd } = body
    const order = { cascade, identity, maxCostUsd, request }
    const { run, headers } = await scan(deps, order, { cascadeId: cascade.id, filters, sampleCount })
    await deps.enqueueRuns([run.id])
    const created = isReplay(headers) ? {} : { created: scanReply(run, noProgress) }
    return { reply: await waitForScan(deps, request, run, created), headers }
  })
  mount(router, getCascadeScan, async ({ params, identity, request }) =>
    waitForScan(deps, request, await requireScan(deps, identity, params)),
  )
  mount(router, listUndecided, async ({ params, query, identity }) => {
    const run = await requireScan(deps, identity, params)
    const result = run.result as CascadeScanResult | null
    if (run.status !== 'DONE' || result === null) return pageReply([], 0, query)
    const items = scannedItems(await Array.fromAsync(deps.judgements.ofRun(run.id)), result)
    const undecided = items.filter(({ decision, isUnjudged }) => decision === null && !isUnjudged)
    const data = undecided.slice(query.offset, query.offset + query.limit).map(({ itemId, judgements: [first] }) => ({
      log_id: first?.item.kind === 'log' ? publicId('log', itemId) : null,
      trace_id: first?.item.kind === 'run' ? itemId : null,
    }))
    return pageReply(data, undecided.length, query)
  })
}

function waitForScan(
  { runs, judgements }: CascadeRouteDeps,
  request: Request,
  run: JudgeRun,
  created: { readonly created?: ReturnType<typeof scanReply> } = {},
) {
  const read = async () => scanReply(await reread(runs, run), await judgements.progressOf(run.id))
  return waitAsPreferred(request, { read, isOver: isRunOver, ...created })
}

/** @throws ServiceError when a judge does not exist, is named twice, or judges something else than the last one */
async function newCascade(
  { criteria, now, newId }: CascadeRouteDeps,
  identity: Identity,
  { name, agreement, confidence, members }: CreateCascade,
): Promise<StoredCascade> {
  const judges: StoredCriterion[] = []
  for (const [index, { criterion_id: id }] of members.entries()) {
    judges.push(await requireCriterion(criteria, identity, id, `members[${index}].criterion_id`))
  }
  const last = judges.length - 1
  for (const [index, judge] of judges.entries()) {
    const param = `members[${index}].criterion_id`
    if (judges.findIndex(({ id }) => id === judge.id) < index) throw invalidRequest(param, 'A judge takes part once.')
    const other = (['unit', 'population', 'populationFamily'] as const).find(
      (key) => judge[key] !== judges[last]?.[key],
    )
    if (other !== undefined) throw invalidRequest(param, 'All judges must have the same unit and population.')
  }
  return {
    id: newId(),
    workspaceId: identity.workspaceId,
    name,
    members: judges.map(({ id: criterionId }, index): CascadeMember => {
      return { criterionId, verdicts: members[index]?.verdicts ?? (index === last ? 1 : 3) }
    }),
    agreement,
    confidence,
    createdBy: identity.userId,
    createdAt: now(),
  }
}

async function describeCalibration(deps: CascadeRouteDeps, cascade: StoredCascade, started: JudgeRun) {
  const calibration = await calibrationOf(deps, cascade, await reread(deps.runs, started))
  return calibrationReply({ ...calibration, progress: await deps.judgements.progressOf(started.id) })
}

async function describe(deps: CascadeRouteDeps, cascade: StoredCascade) {
  const last = await readLastCalibration(deps, cascade)
  if (last === null) return cascadeReply(cascade, { last, canScan: false })
  const canScan = (await readCurrentProof(deps, cascade)) !== null
  const progress = await deps.judgements.progressOf(last.run.id)
  return cascadeReply(cascade, { last: { ...last, progress }, canScan })
}

/** @throws ServiceError `not_found`, the same for unknown ids and for ids of other workspaces */
async function requireCascade({ cascades }: CascadeRouteDeps, { workspaceId }: Identity, cascadeId: string) {
  const id = uuidOf('cascade', cascadeId)
  const cascade = id === null ? null : await cascades.get({ workspaceId, id })
  if (cascade === null) throw notFound('cascade', 'id')
  return cascade
}

async function requireScan(
  deps: CascadeRouteDeps,
  identity: Identity,
  params: { readonly id: string; readonly cascade_scan_id: string },
): Promise<JudgeRun> {
  const cascade = await requireCascade(deps, identity, params.id)
  const id = uuidOf('cascadeScan', params.cascade_scan_id)
  const run = id === null ? null : await deps.runs.get({ workspaceId: identity.workspaceId, id, kind: 'cascade_scan' })
  if (run === null || (run.request as CascadeScanRequest).cascadeId !== cascade.id) {
    throw notFound('scan', 'cascade_scan_id')
  }
  return run
}

interface RunOrder {
  readonly cascade: StoredCascade
  readonly identity: Identity
  readonly maxCostUsd: number | null | undefined
  readonly request: Request
}

async function calibrate(deps: CascadeRouteDeps, { cascade, identity, maxCostUsd, request }: RunOrder) {
  const last = await requireLast(deps, cascade)
  const requested = {
    request: { cascadeId: cascade.id } satisfies CascadeCalibrationRequest,
    maxCostNano: nanoOf(maxCostUsd),
  }
  const about = { ...runOfCriterion(last), kind: 'cascade_calibration' as const }
  return startRunOnce(deps, { ...about, request, requested }, async (id) => {
    const createdAt = deps.now()
    const { items } = await selectCounted(deps, last, { at: createdAt, request: everyKnownDraw })
    if (items.length === 0) throw noGrades()
    const newest = await readLastCalibration(deps, cascade)
    if (newest !== null && newest.run.finishedAt === null) {
      const calibration = publicId('cascadeCalibration', newest.run.id)
      throw new ServiceError('conflict', `Calibration ${calibration} of this cascade is still running.`)
    }
    return deps.runs.create({ ...about, ...requested, id, createdBy: identity.userId, createdAt })
  })
}

function noGrades(): ServiceError {
  const message =
    'There are no grades to calibrate against. Grade what next_to_grade lists for the last judge: only grades whose draw is known count.'
  const check = { name: 'graded_items', operator: '>=', threshold: 1, observed: 0, passed: false }
  return new ServiceError('precondition_failed', message, { details: { checks: [check] } })
}

async function scan(
  deps: CascadeRouteDeps,
  { cascade, identity, maxCostUsd, request }: RunOrder,
  scanRequest: CascadeScanRequest,
) {
  const last = await requireLast(deps, cascade)
  requireFilters(last, scanRequest.filters)
  const requested = { request: scanRequest, maxCostNano: nanoOf(maxCostUsd) }
  const about = { ...runOfCriterion(last), kind: 'cascade_scan' as const }
  return startRunOnce(deps, { ...about, request, requested }, async (id) => {
    if ((await readCurrentProof(deps, cascade)) === null) {
      throw notProven((await readLastCalibration(deps, cascade))?.voidReason ?? null)
    }
    await requireLog(() => drawSample(deps.log, identity, { criterion: last, filters: {}, count: 1, seed: 0 }))
    return deps.runs.create({ ...about, ...requested, id, createdBy: identity.userId, createdAt: deps.now() })
  })
}

function notProven(voidReason: string | null): ServiceError {
  const why = voidReason === null ? '' : ` ${voidReason}`
  const message = `The last calibration of the cascade does not prove its agreement.${why} Calibrate it, or grade more first.`
  const check = { name: 'is_proven', operator: '==', threshold: 1, observed: 0, passed: false }
  return new ServiceError('precondition_failed', message, { details: { checks: [check] } })
}

/** The judge whose question people graded. */
async function requireLast({ criteria }: CascadeRouteDeps, cascade: StoredCascade): Promise<StoredCriterion> {
  const last = (await readMembers(criteria, cascade))?.at(-1)
  if (last !== undefined) return last
  throw new ServiceError('precondition_failed', 'A judge of the cascade was deleted. Create another cascade.')
}

function nanoOf(usd: number | null | undefined): bigint | null {
  return typeof usd === 'number' ? usdToNano(usd) : null
}
