import { z } from 'zod'
import { Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { Label } from './labels.ts'

const internal = { service: 'training', audience: 'internal', callers: ['judging'] } as const

/** For changes of a criterion; the edge does not forward to it. */
export const criterionRuns = endpoint({
  ...internal,
  method: 'get',
  path: '/internal/grpo/criterion-runs',
  summary: 'Name the unfinished GRPO runs that a criterion judges.',
  description: 'While there are any, its prompt and model do not change.',
  query: z.strictObject({ criterion_id: z.string() }),
  reply: z.object({ runs: z.array(z.string()).describe('Names, at most 20.') }),
})

/** For `POST /v1/labels` with a `rollout_id`; the edge does not forward to it. */
export const gradeRollout = endpoint({
  ...internal,
  method: 'post',
  path: '/internal/grpo/grades',
  summary: 'Grade an answer of a GRPO run or RAFT round.',
  description: 'It counts for the audit of the run or round, and calibrates no judge.',
  body: z.strictObject({
    rollout_id: z.string(),
    verdict: Verdict,
    rationale: z.string().max(10_000).nullable(),
    grader: z.string().min(1).max(200),
  }),
  reply: z.object({ label: Label, superseded: z.boolean() }),
  errors: ['not_found'],
})
