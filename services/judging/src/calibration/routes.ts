import {
  type CalibrationRow as CalibrationRowReply,
  getCalibration,
  listCalibrationRows,
  listCalibrations,
  type StartCalibration,
  startCalibration,
} from '@ratchet/contracts/calibrations'
import type { Identity } from '@ratchet/contracts/identity'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { type ModelCatalog, requireJudgeModel } from '@ratchet/judge-kit/fleet/model-catalog'
import { mount, mountRaw } from '@ratchet/service-kit/mount'
import { readJson } from '@ratchet/service-kit/mount-json'
import { parseInput } from '@ratchet/service-kit/parse-input'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Request, Response, Router } from 'express'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { promptSha256 } from '../criteria/instrument.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import type { JudgeRun, RunStore } from '../runs/judge-run.ts'
import { startRunOnce } from '../runs/start-run-once.ts'
import { calibrationReply } from './calibration-reply.ts'
import type { CalibrationRow, CalibrationStore } from './calibration-store.ts'
import { estimateCostUsd } from './estimate-cost.ts'
import type { GradeReader } from './graded-items.ts'
import { requestOf } from './request-of.ts'
import { requireItems } from './require-items.ts'
import { type SelectedItems, selectItems } from './select-items.ts'

export interface CalibrationRouteDeps {
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly runs: Pick<RunStore, 'get' | 'list'>
  readonly calibrations: CalibrationStore
  readonly grades: GradeReader
  readonly models: ModelCatalog
  readonly now: () => Date
  readonly newId: () => string
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
}

/** Measurements of judges against grades. */
export function calibrationRoutes(router: Router, deps: CalibrationRouteDeps): void {
  const { criteria, runs, calibrations } = deps
  mountRaw(router, startCalibration, async ({ params, identity, request }, response) => {
    const body = parseInput(startCalibration.body, await readOptionalJson(request, response))
    const criterion = await requireCriterion(criteria, identity, params.id)
    const asked = { criterion, identity, body }
    if (body.dry_run) {
      response.json(startCalibration.reply.parse(await estimate(deps, asked)))
      return
    }
    const requested = { request: requestOf(body), maxCostNano: null }
    const about = { workspaceId: identity.workspaceId, criterionId: criterion.id, kind: 'calibration' as const }
    const { run, headers } = await startRunOnce(deps, { ...about, request, requested }, (id) => start(deps, asked, id))
    await deps.enqueueRuns([run.id])
    const progress = (await calibrations.progress([run.id])).get(run.id) ?? untouched
    response.status(startCalibration.status).set(headers)
    response.json(startCalibration.reply.parse(calibrationReply(run, progress)))
  })
  mount(router, listCalibrations, async ({ params, query, identity }) => {
    const { workspaceId, id: criterionId } = await requireCriterion(criteria, identity, params.id)
    const found = await runs.list({ ...query, workspaceId, criterionId, kind: 'calibration' })
    const progress = await calibrations.progress(found.runs.map(({ id }) => id))
    const data = found.runs.map((run) => calibrationReply(run, progress.get(run.id) ?? untouched))
    return { ...page(query, { total: found.total, count: data.length }), data }
  })
  mount(router, getCalibration, async ({ params, identity }) => {
    const run = await requireCalibration(deps, identity, params)
    const progress = await calibrations.progress([run.id])
    return calibrationReply(run, progress.get(run.id) ?? untouched)
  })
  mount(router, listCalibrationRows, async ({ params, query, identity }) => {
    const { id: runId } = await requireCalibration(deps, identity, params)
    const { total, rows } = await calibrations.rows({ ...query, runId })
    return { ...page(query, { total, count: rows.length }), data: rows.map(rowReply) }
  })
}

const untouched = { done: 0, costNano: 0n }
const maxBodyBytes = 1024 * 1024

/** Everything in the body is optional, and so is the body. */
async function readOptionalJson(request: Request, response: Response): Promise<unknown> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  return length === '0' && encoding === undefined ? {} : readJson(request, response, maxBodyBytes)
}

interface Asked {
  readonly criterion: StoredCriterion
  readonly identity: Identity
  readonly body: StartCalibration
}

async function estimate({ grades, models, now }: CalibrationRouteDeps, { criterion, identity, body }: Asked) {
  const model = await requireJudgeModel(models, { identity, name: criterion.judgeModel })
  const { items, ties } = selectItems(await grades.inForce(criterion, now()), requestOf(body))
  const contentBytes = await grades.contentBytes(items.map(({ snapshotId }) => snapshotId))
  return {
    object: 'criterion.calibration_estimate' as const,
    rows: { ...countItems(items), ties },
    estimated_cost_usd: estimateCostUsd({
      rows: items.length,
      contentBytes,
      judgePrompt: criterion.judgePrompt,
      model,
    }),
  }
}

function countItems(items: SelectedItems['items']) {
  const fail = items.filter(({ human }) => human === 'fail').length
  return { total: items.length, fail, pass: items.length - fail }
}

async function start(deps: CalibrationRouteDeps, { criterion, identity, body }: Asked, id: string): Promise<JudgeRun> {
  const { calibrations, grades, now } = deps
  const createdAt = now()
  const request = requestOf(body)
  requireItems(selectItems(await grades.inForce(criterion, createdAt), request))
  const run = await calibrations.start({
    id,
    workspaceId: identity.workspaceId,
    criterionId: criterion.id,
    kind: 'calibration',
    instrument: criterion.instrument,
    judgeModel: criterion.judgeModel,
    promptSha256: promptSha256(criterion.judgePrompt),
    request,
    maxCostNano: null,
    createdBy: identity.userId,
    createdAt,
  })
  if (run === null) throw await isRunning(calibrations, criterion)
  return run
}

async function isRunning({ running }: CalibrationStore, { id }: StoredCriterion): Promise<ServiceError> {
  const runId = await running(id)
  if (runId === null) return new ServiceError('conflict', 'A calibration of this criterion has just ended; try again.')
  const calibration = publicId('calibration', runId)
  return new ServiceError('conflict', `Calibration ${calibration} of this criterion is still running.`, {
    details: { calibration_id: calibration },
  })
}

/** @throws ServiceError the same for every other id */
async function requireCalibration(
  { criteria, runs }: CalibrationRouteDeps,
  identity: Identity,
  params: { readonly id: string; readonly calibration_id: string },
): Promise<JudgeRun> {
  const { workspaceId, id: criterionId } = await requireCriterion(criteria, identity, params.id)
  const id = uuidOf('calibration', params.calibration_id)
  const run = id === null ? null : await runs.get({ workspaceId, id, kind: 'calibration' })
  if (run?.criterionId === criterionId) return run
  throw new ServiceError('not_found', 'No calibration of this criterion has this id.', { param: 'calibration_id' })
}

function rowReply(row: CalibrationRow): CalibrationRowReply {
  return {
    label_id: publicId('label', row.labelId),
    human: row.human,
    judge: row.judge,
    explanation: row.explanation,
    weight: row.weight,
    messages: JSON.parse(row.messages),
    response: JSON.parse(row.response),
  }
}

interface PageQuery {
  readonly limit: number
  readonly offset: number
}

function page({ limit, offset }: PageQuery, { total, count }: { readonly total: number; readonly count: number }) {
  return { object: 'list' as const, total, limit, offset, has_more: offset + count < total }
}
