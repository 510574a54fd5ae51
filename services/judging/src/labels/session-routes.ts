import type { Identity } from '@ratchet/contracts/identity'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { gradeOne, type PickedGrade, readMarks } from '@ratchet/contracts/session-labels'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { mountJson, readJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { notFound } from '@ratchet/service-kit/http/service-error'
import { writePieces } from '@ratchet/service-kit/http/write-pieces'
import type { Router } from 'express'
import { requireCriterion } from '../criteria/require-criterion.ts'
import { addGrades, type GradeDeps } from './add-grades.ts'
import type { GradeRollout } from './grade-rollout.ts'
import { type GradeRunDeps, gradeRun } from './grade-run.ts'
import { labelTexts } from './label-texts.ts'
import type { LabelMarks } from './pg-label-marks.ts'
import type { LabelStore } from './pg-labels.ts'

export interface SessionLabelDeps extends Omit<GradeRunDeps, 'labels'>, Omit<GradeDeps, 'labels' | 'log'> {
  readonly labels: LabelStore
  readonly readMarks: LabelMarks
  readonly gradeRollout: GradeRollout
}

/** Grades of signed-in users: complete runs, and exchanges that they picked. */
export function sessionLabelRoutes(router: Router, deps: SessionLabelDeps): void {
  mountRaw(router, gradeOne, async ({ identity, request }, response) => {
    const body = parseInput(gradeOne.body, await readJson(request, response, gradeOne.maxJsonBytes))
    if (body.unit === 'answer') {
      const { unit: _, ...grade } = body
      response.status(gradeOne.status).json((await deps.gradeRollout(identity, grade)).label)
      return
    }
    const id = body.unit === 'trace' ? await gradeRun(deps, identity, body) : await pick(deps, identity, body)
    const label = await deps.labels.get({ workspaceId: identity.workspaceId, id })
    if (label === null) throw notFound('label')
    response.status(gradeOne.status)
    await writePieces(response, 'application/json; charset=utf-8', labelTexts(deps.labels, [label]))
  })
  mountJson(router, readMarks, async ({ body, identity }) => {
    const { workspaceId, userId: graderId } = identity
    const named = body.criterion_id ?? null
    const criterion = named === null ? null : await requireCriterion(deps.criteria, identity, named, 'criterion_id')
    const logIds = body.log_ids.flatMap((id) => uuidOf('log', id) ?? [])
    const marks = await deps.readMarks({ workspaceId, graderId, criterionId: criterion?.id ?? null, logIds })
    const data = marks.map(({ logId, ...mark }) => ({ log_id: publicId('log', logId), ...mark }))
    return { reply: { object: 'list' as const, data } }
  })
}

async function pick(deps: SessionLabelDeps, identity: Identity, { unit: _, ...item }: PickedGrade): Promise<string> {
  const [outcome] = await addGrades(deps, { identity, items: [item] })
  if (outcome === undefined || outcome.kind === 'refused') throw outcome?.error ?? notFound('label')
  return outcome.id
}
