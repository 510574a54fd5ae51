import { z } from 'zod'
import { Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { GradeItem, Label } from './labels.ts'
import { storable } from './storable.ts'

/** A grade of a complete run by the signed-in user. */
export const RunGrade = z.strictObject({
  trace_id: storable(z.string().min(1).max(200)),
  ...GradeItem.pick({ criterion_id: true, rationale: true, blind: true, sampling: true }).shape,
  label: Verdict,
})
export type RunGrade = z.infer<typeof RunGrade>

/** Whole runs are graded only in the dashboard, which shows all steps of them; the public API refuses such grades. */
export const gradeRun = endpoint({
  method: 'post',
  path: '/internal/labels/runs',
  summary: 'Grade a completed run.',
  description:
    'Stores a snapshot of the run with the grade. Without `criterion_id` the grade counts for every judge of runs whose population contains the run.',
  service: 'judging',
  audience: 'internal',
  callers: ['dashboard'],
  body: RunGrade,
  reply: Label,
  status: 201,
  errors: ['not_found', 'unsupported_unit', 'conflict', 'context_length_exceeded', 'logging_disabled'],
})
