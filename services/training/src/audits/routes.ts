import { createHash } from 'node:crypto'
import { gradeRollout } from '@ratchet/contracts/internal-grpo'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { GradedAnswer, GradeStore, NewGrade } from './audited-answer.ts'

export interface GradeRouteDeps {
  /** Of runs and of rounds. */
  readonly gradeStores: readonly GradeStore[]
  readonly newId: () => string
}

/** For the service judging. The edge does not forward to it. */
export function gradeRoutes(router: Router, { gradeStores, newId }: GradeRouteDeps): void {
  mountJson(router, gradeRollout, async ({ body, identity: { workspaceId } }) => {
    const rolloutId = uuidOf('rollout', body.rollout_id)
    if (rolloutId === null) throw notFound('answer of an audit', 'rollout_id')
    const { verdict, rationale, grader } = body
    const grade = { id: newId(), rolloutId, verdict, rationale, grader }
    for (const store of gradeStores) {
      const graded = await store.grade(workspaceId, grade)
      if (graded !== null) return { reply: { label: labelOf(grade, graded), superseded: graded.superseded } }
    }
    throw notFound('answer of an audit', 'rollout_id')
  })
}

function labelOf({ id, rolloutId, verdict, rationale, grader }: NewGrade, graded: GradedAnswer) {
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
