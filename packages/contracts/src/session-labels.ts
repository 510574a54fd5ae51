import { z } from 'zod'
import { Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { GradeItem, Label, RolloutGrade } from './labels.ts'
import { storable } from './storable.ts'

const gradeFields = GradeItem.pick({ criterion_id: true, rationale: true, blind: true }).shape

/** A grade of a complete run by the signed-in user. */
export const RunGrade = z.strictObject({
  unit: z.literal('trace'),
  trace_id: storable(z.string().min(1).max(200)),
  ...gradeFields,
  ...GradeItem.pick({ sampling: true }).shape,
  label: Verdict,
})
export type RunGrade = z.infer<typeof RunGrade>

/** A grade of an exchange that the signed-in user picked. */
export const PickedGrade = z.strictObject({
  unit: z.literal('request'),
  log_id: z.string(),
  ...gradeFields,
  label: Verdict,
})
export type PickedGrade = z.infer<typeof PickedGrade>

/** A grade of an answer that a GRPO run or RAFT round gives to people, for its audit. */
export const AnswerGrade = z.strictObject({ unit: z.literal('answer'), ...RolloutGrade.shape, label: Verdict }).omit({
  verdict: true,
  grader: true,
})
export type AnswerGrade = z.infer<typeof AnswerGrade>

/** Complete runs are graded only here, because the dashboard shows all steps of them; the public API refuses such grades. */
export const gradeOne = endpoint({
  method: 'post',
  path: '/session/labels',
  summary: 'Grade a completed run, an exchange that was picked, or an answer of an audit.',
  description:
    'Stores a snapshot with the grade. Without `criterion_id` the grade counts for every judge of the unit whose population contains the item. An answer of an audit counts for no judge.',
  service: 'judging',
  audience: 'session',
  permission: 'grader',
  body: z.discriminatedUnion('unit', [RunGrade, PickedGrade, AnswerGrade]),
  reply: Label,
  status: 201,
  errors: ['not_found', 'unsupported_unit', 'conflict', 'context_length_exceeded', 'logging_disabled'],
})

/** The grades of an exchange. */
export const GradeMark = z.object({
  log_id: z.string(),
  fails: z.int().describe('Number of grades in force that failed it.'),
  passes: z.int(),
  mine: Verdict.nullable().describe('The grade of the caller.'),
})
export type GradeMark = z.infer<typeof GradeMark>

export const readMarks = endpoint({
  method: 'post',
  path: '/session/labels/marks',
  summary: 'Read which of some exchanges are graded.',
  description: 'For the rows of a table. Exchanges without a grade are left out.',
  service: 'judging',
  audience: 'session',
  permission: 'any',
  body: z.strictObject({
    log_ids: z.array(z.string()).min(1).max(200),
    criterion_id: z.string().nullish().describe('Counts only grades for this judge and of whole exchanges.'),
  }),
  reply: z.object({ object: z.literal('list'), data: z.array(GradeMark) }),
  errors: ['not_found'],
})
