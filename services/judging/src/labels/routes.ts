import { createLabels, exportLabels, GradeItems, getLabel, labelAgreement, listLabels } from '@ratchet/contracts/labels'
import { uuidOf } from '@ratchet/contracts/public-id'
import { mount, mountRaw } from '@ratchet/service-kit/mount'
import { readJson } from '@ratchet/service-kit/mount-json'
import { parseInput } from '@ratchet/service-kit/parse-input'
import { ServiceError } from '@ratchet/service-kit/service-error'
import { writePieces } from '@ratchet/service-kit/write-pieces'
import type { Router } from 'express'
import { addGrades, type GradeDeps } from './add-grades.ts'
import { agreementOf } from './agreement.ts'
import { agreementReply } from './agreement-reply.ts'
import { exportLabels as exportLines } from './export-labels.ts'
import { filterOf } from './filter-of.ts'
import { requireCriterion } from './find-criterion.ts'
import { gradedList } from './graded-list.ts'
import type { ImportDeps } from './import-labels.ts'
import { importLabelRoutes } from './import-routes.ts'
import { keptLabels } from './kept-labels.ts'
import type { LabelStore } from './label-store.ts'
import { labelTexts } from './label-texts.ts'
import { listLabels as listPieces } from './list-labels.ts'

export interface LabelRouteDeps extends GradeDeps, ImportDeps {
  readonly labels: LabelStore
}

const maxBodyBytes = 1024 * 1024
const jsonType = 'application/json; charset=utf-8'

/** Grades: given, read, compared, never changed. */
export function labelRoutes(router: Router, deps: LabelRouteDeps): void {
  const { labels } = deps
  importLabelRoutes(router, deps)

  mountRaw(router, createLabels, async ({ identity, request }, response) => {
    const body = await readJson(request, response, maxBodyBytes)
    const items = severalOf(body)
    const outcomes = await addGrades(deps, { identity, items: items ?? [body] })
    const [only] = outcomes
    if (items === null && only?.kind === 'refused') throw only.error
    const kept = await keptLabels(labels, identity.workspaceId, outcomes)
    const pieces = items === null ? labelTexts(labels, kept) : gradedList(labels, { outcomes, kept })
    response.status(createLabels.status)
    await writePieces(response, jsonType, pieces)
  })

  mountRaw(router, listLabels, async ({ query, identity }, response) => {
    const filter = filterOf(query, identity.workspaceId)
    await writePieces(response, jsonType, listPieces(labels, filter, query))
  })

  mountRaw(router, exportLabels, async ({ query, identity }, response) => {
    const filter = filterOf(query, identity.workspaceId)
    response.attachment('labels.jsonl')
    const lines = exportLines(labels, filter, deps.now())
    await writePieces(response, 'application/jsonl; charset=utf-8', lines)
  })

  mount(router, labelAgreement, async ({ query, identity: { workspaceId } }) => {
    const criterion = await requireCriterion(deps.criteria, { workspaceId, id: query.criterion_id })
    return agreementReply(criterion.id, agreementOf(await labels.countedFor(criterion)))
  })

  // Behind the others: `export` and `agreement` are no ids.
  mountRaw(router, getLabel, async ({ params, identity: { workspaceId } }, response) => {
    const id = uuidOf('label', params.id)
    const label = id === null ? null : await labels.get({ workspaceId, id })
    if (label === null) throw new ServiceError('not_found', 'No label has this id.', { param: 'id' })
    await writePieces(response, jsonType, labelTexts(labels, [label]))
  })
}

/** The grades of a body that has several; null for a body that is one. */
function severalOf(body: unknown): readonly unknown[] | null {
  const isSeveral = typeof body === 'object' && body !== null && Object.hasOwn(body, 'labels')
  return isSeveral ? parseInput(GradeItems, body).labels : null
}
