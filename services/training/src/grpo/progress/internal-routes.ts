import { createHash } from 'node:crypto'
import { criterionRuns, gradeRollout } from '@ratchet/contracts/internal-grpo'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { RunStore } from '../runs/run.ts'
import type { GradedRollout, NewGrade, RunProgress } from './progress-store.ts'

export interface InternalGrpoDeps {
  readonly runs: Pick<RunStore, 'usersOf'>
  readonly runProgress: Pick<RunProgress, 'grade'>
  readonly newId: () => string
}

/** For the service judging. The edge does not forward to these. */
export function internalGrpoRoutes(router: Router, { runs, runProgress, newId }: InternalGrpoDeps): void {
  mount(router, criterionRuns, async ({ query, identity: { workspaceId } }) => {
    const id = uuidOf('criterion', query.criterion_id)
    return { runs: id === null ? [] : [...(await runs.usersOf(workspaceId, id))] }
  })
  mountJson(router, gradeRollout, async ({ body, identity: { workspaceId } }) => {
    const rolloutId = uuidOf('rollout', body.rollout_id)
    const { verdict, rationale, grader } = body
    const grade = { id: newId(), rolloutId: rolloutId ?? '', verdict, rationale, grader }
    const graded = rolloutId === null ? null : await runProgress.grade(workspaceId, grade)
    if (graded === null) throw notFound('answer of a look', 'rollout_id')
    return { reply: { label: labelOf(grade, graded), superseded: graded.superseded } }
  })
}

function labelOf({ id, rolloutId, verdict, rationale, grader }: NewGrade, graded: GradedRollout) {
  const response = graded.completion.at(-1) ?? { role: 'assistant' }
  const messages = [...graded.prompt.messages, ...graded.completion.slice(0, -1)]
  const content = JSON.stringify([messages, response])
  return {
    object: 'label' as const,
    id: publicId('label', id),
    criterion_id: null,
    unit: 'request' as const,
    log_id: null,
    trace_id: null,
    rollout_id: publicId('rollout', rolloutId),
    label: verdict,
    rationale,
    grader_id: grader,
    grader_type: 'human' as const,
    source: 'audit' as const,
    blind: true,
    snapshot: {
      messages,
      response,
      tools: graded.prompt.tools === null ? null : [...graded.prompt.tools],
      model: graded.model,
      segment: '',
      sha256: createHash('sha256').update(content).digest('hex'),
    },
    sampling: null,
    superseded_by: null,
    created_at: graded.createdAt.toISOString(),
  }
}
