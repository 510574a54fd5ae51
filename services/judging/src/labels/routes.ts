import type { ErrorCode } from '@ratchet/contracts/errors'
import {
  createLabels,
  exportLabels,
  GradeItems,
  getLabel,
  type LabelFilters,
  labelAgreement,
  listLabels,
} from '@ratchet/contracts/labels'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { answerJsonOnce, type OnceDeps } from '@ratchet/service-kit/http/answer-once'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { readJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { notFound } from '@ratchet/service-kit/http/service-error'
import { writePieces } from '@ratchet/service-kit/http/write-pieces'
import type { Router } from 'express'
import type { z } from 'zod'
import { requireCriterion } from '../criteria/require-criterion.ts'
import { addGrades, type GradeDeps, type GradeOutcome, keptOutcome, outcomeOf } from './add-grades.ts'
import { type Agreement, agreementOf } from './agreement.ts'
import { type GradeRollout, gradeRollouts, gradesRollouts } from './grade-rollout.ts'
import type { GradeWork } from './grade-work.ts'
import type { ImportDeps } from './import-labels.ts'
import { importLabelRoutes } from './import-routes.ts'
import type { StoredLabel } from './label.ts'
import type { CountedGrade, LabelFilter } from './label-queries.ts'
import { gradedList, labelLines, labelList, labelTexts } from './label-texts.ts'
import type { LabelStore } from './pg-labels.ts'

interface LabelRouteDeps extends GradeDeps, ImportDeps, OnceDeps {
  readonly labels: LabelStore
  readonly gradeWork: GradeWork
  readonly gradeRollout: GradeRollout
}

const jsonType = 'application/json; charset=utf-8'

/** Grades are added and read, never changed. */
export function labelRoutes(router: Router, deps: LabelRouteDeps): void {
  const { labels, gradeWork } = deps
  importLabelRoutes(router, deps)

  mountRaw(router, createLabels, async ({ identity, request }, response) => {
    const body = await readJson(request, response, createLabels.maxJsonBytes)
    const { workspaceId } = identity
    const order = { request, identity, endpoint: createLabels.path, body }
    if (gradesRollouts(body)) {
      const grade = () => gradeRollouts(deps.gradeRollout, identity, body)
      const { answer, headers } = await answerJsonOnce(deps, order, grade)
      response.status(createLabels.status).set(headers).json(answer)
      return
    }
    const items = severalOf(body)
    const { answer, headers } = await answerJsonOnce(deps, order, async () => {
      const added = await addGrades(deps, { identity, items: items ?? [body] })
      const [only] = added
      if (items === null && only?.kind === 'refused') throw only.error
      if (!added.some(({ kind }) => kind === 'created')) refuseAll(added)
      return added.map(keptOutcome)
    })
    const outcomes = answer.map(outcomeOf)
    const created = await createdLabels(labels, workspaceId, outcomes)
    const pieces = items === null ? labelTexts(labels, created) : gradedList(labels, { outcomes, created })
    response.status(createLabels.status).set(headers)
    await writePieces(response, jsonType, pieces)
  })

  mountRaw(router, listLabels, async ({ query, identity }, response) => {
    const filter = filterOf(query, identity.workspaceId)
    await writePieces(response, jsonType, labelList(labels, filter, query))
  })

  mountRaw(router, exportLabels, async ({ query, identity }, response) => {
    const filter = filterOf(query, identity.workspaceId)
    response.attachment('labels.jsonl')
    const lines = labelLines(labels, filter, deps.now())
    await writePieces(response, 'application/jsonl; charset=utf-8', lines)
  })

  mount(router, labelAgreement, async ({ query, identity }) => {
    const criterion = await requireCriterion(deps.criteria, identity, query.criterion_id, 'criterion_id')
    return gradeWork.places.run(identity.workspaceId, async () => {
      const agreement = await gradeWork.sliced.run(agreementOf(await labels.countedFor(criterion)))
      return agreementReply(criterion.id, agreement)
    })
  })

  // After the others, because this route would take `export` and `agreement` for ids.
  mountRaw(router, getLabel, async ({ params, identity: { workspaceId } }, response) => {
    const id = uuidOf('label', params.id)
    const label = id === null ? null : await labels.get({ workspaceId, id })
    if (label === null) throw notFound('label')
    await writePieces(response, jsonType, labelTexts(labels, [label]))
  })
}

/** The items of a body with a list of grades; null for a body with a single grade. */
function severalOf(body: unknown): readonly unknown[] | null {
  const isSeveral = typeof body === 'object' && body !== null && Object.hasOwn(body, 'labels')
  return isSeveral ? parseInput(GradeItems, body).labels : null
}

/** Null when an id is invalid, so that nothing can match. */
function filterOf(query: LabelFilters, workspaceId: string): LabelFilter | null {
  const criterionId = query.criterion_id === undefined ? undefined : uuidOf('criterion', query.criterion_id)
  const logId = query.log_id === undefined ? undefined : uuidOf('log', query.log_id)
  if (criterionId === null || logId === null) return null
  return {
    workspaceId,
    criterionId,
    logId,
    label: query.label,
    graderId: query.grader_id,
    source: query.source,
    start: query.start,
    end: query.end,
    includesSuperseded: query.include_superseded ?? false,
  }
}

/** Errors that do not depend on the grade. */
const general: ReadonlySet<ErrorCode> = new Set(['logging_disabled', 'service_unavailable'])

/** The created grades, in order. */
async function createdLabels(
  store: Pick<LabelStore, 'several'>,
  workspaceId: string,
  outcomes: readonly GradeOutcome[],
): Promise<readonly StoredLabel[]> {
  const ids = outcomes.flatMap((outcome) => (outcome.kind === 'created' ? [outcome.id] : []))
  const created = new Map((await store.several(workspaceId, ids)).map((label) => [label.id, label]))
  return ids.flatMap((id) => created.get(id) ?? [])
}

/** @throws ServiceError for a general error */
function refuseAll(outcomes: readonly GradeOutcome[]): void {
  for (const outcome of outcomes) {
    if (outcome.kind === 'refused' && general.has(outcome.error.code)) throw outcome.error
  }
}

function agreementReply(criterionId: string, agreement: Agreement): z.input<typeof labelAgreement.reply> {
  return {
    object: 'label.agreement',
    criterion_id: publicId('criterion', criterionId),
    pairs_n: agreement.pairs,
    raw_agreement: agreement.rawAgreement,
    raw_agreement_ci: agreement.ceiling === null ? null : [agreement.ceiling.low, agreement.ceiling.high],
    cohen_kappa: agreement.cohenKappa,
    fleiss_kappa: agreement.fleissKappa,
    per_grader: agreement.graders.map(({ graderId, grades, withMajority }) => ({
      grader_id: graderId,
      grades,
      agreement_with_majority: withMajority,
    })),
    disagreements: agreement.disagreements.map(itemId),
  }
}

function itemId({ id, logId }: CountedGrade): string {
  return logId === null ? publicId('label', id) : publicId('log', logId)
}
