import {
  type CalibrationRow as CalibrationRowReply,
  getCalibration,
  isRunOver,
  listCalibrationRows,
  listCalibrations,
  repeatedRows,
  type StartCalibration,
  startCalibration,
} from '@ratchet/contracts/calibrations'
import type { Identity } from '@ratchet/contracts/identity'
import { pageReply } from '@ratchet/contracts/page'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { estimateCalibration } from '@ratchet/contracts/session-criteria'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { mountJson, readJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { waitAsPreferred } from '@ratchet/service-kit/http/prefer-wait'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Request, Response, Router } from 'express'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { requireJudgePrices } from '../criteria/judge-prices.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import type { GradeWork } from '../labels/grade-work.ts'
import type { GradeReader } from '../labels/pg-grades.ts'
import type { JudgeRun, RunStore } from '../runs/judge-run.ts'
import { reread } from '../runs/reread.ts'
import { runOfCriterion } from '../runs/run-of-criterion.ts'
import { isReplay, startRunOnce } from '../runs/start-run-once.ts'
import { minGrades } from './calibration-notes.ts'
import { calibrationReply } from './calibration-reply.ts'
import type { CalibrationRow } from './calibration-row.ts'
import { copiedJudge } from './copied-judge.ts'
import { estimateCostUsd } from './estimate-cost.ts'
import type { CalibrationStore } from './pg-calibrations.ts'
import { planGrades } from './plan-grades.ts'
import { selectCounted } from './select-counted.ts'
import { type CalibrationRequest, type SelectedItems, selectItemsInSteps } from './select-items.ts'

interface CalibrationRouteDeps {
  readonly criteria: CriterionStore
  readonly runs: RunStore
  readonly calibrations: CalibrationStore
  readonly grades: GradeReader
  readonly gradeWork: GradeWork
  readonly models: ModelCatalog
  readonly now: () => Date
  readonly newId: () => string
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
}

export function calibrationRoutes(router: Router, deps: CalibrationRouteDeps): void {
  const { criteria, runs, calibrations } = deps
  mountRaw(router, startCalibration, async ({ params, identity, request }, response) => {
    const body = parseInput(startCalibration.body, await readOptionalJson(request, response))
    const criterion = await requireCriterion(criteria, identity, params.id)
    const order = { criterion, identity, body }
    if (body.dry_run) {
      response.json(startCalibration.reply.parse(await estimate(deps, order)))
      return
    }
    const requested = { request: requestOf(body), maxCostNano: null }
    const creation = { ...runOfCriterion(criterion), kind: 'calibration' as const, request, requested }
    const { run, headers } = await startRunOnce(deps, creation, (id) => start(deps, order, id))
    await deps.enqueueRuns([run.id])
    response.status(startCalibration.status).set(headers)
    const created = isReplay(headers) ? {} : { created: calibrationReply(run, noProgress) }
    response.json(startCalibration.reply.parse(await waitForCalibration(deps, request, run, created)))
  })
  mountJson(router, estimateCalibration, async ({ params, body, identity }) => {
    const criterion = await requireCriterion(criteria, identity, params.id)
    return { reply: await estimate(deps, { criterion, identity, body: { ...body, dry_run: true } }) }
  })
  mount(router, listCalibrations, async ({ params, query, identity }) => {
    const { workspaceId, id: criterionId } = await requireCriterion(criteria, identity, params.id)
    const found = await runs.list({ ...query, workspaceId, criterionId, kind: 'calibration' })
    const progress = await calibrations.progress(found.runs.map(({ id }) => id))
    const data = found.runs.map((run) => calibrationReply(run, progress.get(run.id) ?? noProgress))
    return pageReply(data, found.total, query)
  })
  mount(router, getCalibration, async ({ params, identity, request }) =>
    waitForCalibration(deps, request, await requireCalibration(deps, identity, params)),
  )
  mount(router, listCalibrationRows, async ({ params, query, identity }) => {
    const { id: runId } = await requireCalibration(deps, identity, params)
    const { total, rows } = await calibrations.rows({ ...query, runId })
    return pageReply(rows.map(rowReply), total, query)
  })
}

function waitForCalibration(
  { runs, calibrations }: CalibrationRouteDeps,
  request: Request,
  run: JudgeRun,
  created: { readonly created?: ReturnType<typeof calibrationReply> } = {},
) {
  const read = async () => {
    const progress = await calibrations.progress([run.id])
    return calibrationReply(await reread(runs, run), progress.get(run.id) ?? noProgress)
  }
  return waitAsPreferred(request, { read, isOver: isRunOver, ...created })
}

const noProgress = { done: 0, costNano: 0n }

/** The body may be empty, because all its fields are optional. */
async function readOptionalJson(request: Request, response: Response): Promise<unknown> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  return length === '0' && encoding === undefined ? {} : readJson(request, response, startCalibration.maxJsonBytes)
}

interface CalibrationOrder {
  readonly criterion: StoredCriterion
  readonly identity: Identity
  readonly body: StartCalibration
}

function estimate(deps: CalibrationRouteDeps, order: CalibrationOrder) {
  return deps.gradeWork.places.run(order.identity.workspaceId, () => estimateInPlace(deps, order))
}

async function estimateInPlace(
  { grades, gradeWork: { sliced }, models, calibrations, now }: CalibrationRouteDeps,
  { criterion, identity, body }: CalibrationOrder,
) {
  const model = await requireJudgePrices(models, { identity, judge: criterion })
  const inForce = await grades.inForce(criterion, now())
  const unanswered = await grades.unanswered(criterion, now())
  const selection = selectItemsInSteps(inForce, requestOf(body), unanswered)
  const { leftOut: picked, ...selected } = await sliced.run(selection)
  const { items, ties, incomplete } = selected
  const counts = countItems(items)
  const evidence = (await calibrations.evidence([criterion.id])).get(criterion.id)
  const copies = await calibrations.countCopies(copiedJudge(criterion, { at: now(), runId: null }))
  const contentBytes = await grades.contentBytes(items.map(({ snapshotId }) => snapshotId))
  const twice = repeatedRows(items.length)
  return {
    object: 'criterion.calibration_estimate' as const,
    rows: { ...counts, ties, picked, judged_twice: twice, incomplete, unanswered: selected.unanswered.length },
    estimated_cost_usd: estimateCostUsd({
      rows: items.length + twice,
      contentBytes: contentBytes * (1 + twice / Math.max(1, items.length)),
      judgePrompt: criterion.judgePrompt,
      model,
    }),
    plan: await sliced.run(
      planGrades({
        fails: counts.fail,
        passes: counts.pass,
        grades: inForce,
        measures: evidence?.measures ?? null,
        copies,
      }),
    ),
  }
}

function countItems(items: SelectedItems['items']) {
  const fail = items.filter(({ human }) => human === 'fail').length
  return { total: items.length, fail, pass: items.length - fail }
}

async function start(
  deps: CalibrationRouteDeps,
  { criterion, identity, body }: CalibrationOrder,
  id: string,
): Promise<JudgeRun> {
  const { calibrations, now } = deps
  const createdAt = now()
  const request = requestOf(body)
  requireItems(await selectCounted(deps, criterion, { at: createdAt, request }))
  const run = await calibrations.start({
    ...runOfCriterion(criterion),
    id,
    kind: 'calibration',
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
  if (runId === null)
    return new ServiceError('conflict', 'Another calibration of this criterion has just ended. Retry.')
  const calibration = publicId('calibration', runId)
  return new ServiceError('conflict', `Calibration ${calibration} of this criterion is still running.`, {
    details: { calibration_id: calibration },
  })
}

/** @throws ServiceError `not_found`, the same for unknown ids and for ids of other criteria */
async function requireCalibration(
  { criteria, runs }: CalibrationRouteDeps,
  identity: Identity,
  params: { readonly id: string; readonly calibration_id: string },
): Promise<JudgeRun> {
  const { workspaceId, id: criterionId } = await requireCriterion(criteria, identity, params.id)
  const id = uuidOf('calibration', params.calibration_id)
  const run = id === null ? null : await runs.get({ workspaceId, id, kind: 'calibration' })
  if (run?.criterionId === criterionId) return run
  throw notFound('calibration of this criterion', 'calibration_id')
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

function requestOf(body: StartCalibration): CalibrationRequest {
  const { label_filter: filter, max_rows: maxRows, include_picked: includesPicked } = body
  return {
    createdAfter: filter.created_after ?? null,
    graderId: filter.grader_id ?? null,
    sampling: filter.sampling ?? 'any',
    maxRows: maxRows ?? null,
    includesPicked,
  }
}

/** @throws ServiceError `precondition_failed` when there is nothing to judge */
function requireItems({ items, ties, leftOut, incomplete }: SelectedItems): void {
  if (items.length > 0) return
  const unusable = leftOut + incomplete
  const picked =
    unusable === 0
      ? ''
      : ` ${unusable} graded items are left out, because they were picked, or are only a part of a draw; grade what next_to_grade lists.`
  const tied = ties === 0 ? '' : ` ${ties} graded items are left out because their graders disagree evenly.`
  const message = `There are no grades to calibrate against.${tied}${picked} Grade at least ${minGrades} exchanges of its population, of both classes, or widen label_filter.`
  const check = { name: 'graded_items', operator: '>=', threshold: 1, observed: 0, passed: false }
  throw new ServiceError('precondition_failed', message, {
    details: { checks: [check], ties, picked: leftOut, incomplete },
  })
}
