import { gradeRun } from '@ratchet/contracts/internal-labels'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { readJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { notFound } from '@ratchet/service-kit/http/service-error'
import { writePieces } from '@ratchet/service-kit/http/write-pieces'
import type { Router } from 'express'
import { gradeRun as addGrade, type GradeRunDeps } from './grade-run.ts'
import { labelTexts } from './label-texts.ts'
import type { LabelStore } from './pg-labels.ts'

export interface RunLabelRouteDeps extends GradeRunDeps {
  readonly labels: LabelStore
}

/** Grades of whole runs. The edge does not forward to it. */
export function runLabelRoutes(router: Router, deps: RunLabelRouteDeps): void {
  mountRaw(router, gradeRun, async ({ identity, request }, response) => {
    const body = parseInput(gradeRun.body, await readJson(request, response, gradeRun.maxJsonBytes))
    const id = await addGrade(deps, identity, body)
    const label = await deps.labels.get({ workspaceId: identity.workspaceId, id })
    if (label === null) throw notFound('label')
    response.status(gradeRun.status)
    await writePieces(response, 'application/json; charset=utf-8', labelTexts(deps.labels, [label]))
  })
}
