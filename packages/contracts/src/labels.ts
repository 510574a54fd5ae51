import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { ChatMessage } from './chat-message.ts'
import { RateInterval, Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { uploadedFile } from './files.ts'
import { listOf } from './list-of.ts'
import { jsonLinesTypes } from './log-import.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { flag, moment } from './query-values.ts'
import { storable } from './storable.ts'

const text = (maxLength: number) =>
  storable(
    z
      .string()
      .max(maxLength)
      .overwrite((value) => value.toWellFormed()),
  )
const word = storable(
  z
    .string()
    .min(1)
    .max(200)
    .overwrite((value) => value.toWellFormed()),
)

export const LabelSampling = z.strictObject({
  method: word.describe(
    'How the item was selected, in your words. It is stored and shown, and does not make a grade count: calibrations and gates count a grade as drawn when `next_to_grade` handed out its exchange, and as picked otherwise.',
  ),
  probability: z.number().gt(0).max(1).describe('Probability with which the item was selected.'),
  stratum: text(200).nullish(),
})
export type LabelSampling = z.infer<typeof LabelSampling>

/** A grade. It is permanent: a later one of the same grader supersedes it, and none is changed or deleted. */
export const Label = z.object({
  object: z.literal('label'),
  id: z.string(),
  criterion_id: z.string().nullable().describe('Null for a grade of the exchange as a whole.'),
  unit: z.enum(['request', 'trace']),
  log_id: z.string().nullable(),
  trace_id: z.string().nullable().describe('The run that the exchange is a step of, or that was graded as a whole.'),
  rollout_id: z
    .string()
    .nullable()
    .default(null)
    .describe('The answer of a GRPO run or RAFT round that was graded; its `source` is `audit`.'),
  label: Verdict,
  rationale: z.string().nullable(),
  grader_id: z.string(),
  grader_type: z.literal('human'),
  source: z.enum(['api', 'review_queue', 'import', 'audit']),
  blind: z.boolean().describe("True when the grader did not see the judge's verdict; null when this is unknown."),
  snapshot: z
    .object({
      messages: z.array(ChatMessage),
      response: ChatMessage,
      tools: z.array(z.unknown()).nullable(),
      model: z.string().nullable(),
      segment: z.string(),
      sha256: z.string(),
    })
    .describe('The graded content, redacted. It is kept when the log entry expires.'),
  sampling: z
    .object({ method: z.string(), probability: z.number().nullable(), stratum: z.string().nullable() })
    .nullable()
    .describe('How the item was selected. The probability of `picked` ones is not known.'),
  superseded_by: z.string().nullable(),
  created_at: z.iso.datetime(),
})
export type Label = z.infer<typeof Label>

export const GradeItem = z.strictObject({
  log_id: z.string(),
  label: Verdict.optional(),
  verdict: Verdict.optional().describe('Same as `label`.'),
  criterion_id: z.string().nullish(),
  rationale: text(10_000).nullish(),
  grader: word.nullish().describe('The grader; by default the user of the API key.'),
  blind: z.boolean().nullish().describe("True when the grader did not see the judge's verdict; false by default."),
  unit: z.enum(['request', 'trace']).nullish(),
  sampling: LabelSampling.nullish().describe(
    'By default that of `next_to_grade` where it listed the exchange for this criterion, else `picked`.',
  ),
})
export type GradeItem = z.infer<typeof GradeItem>

/** A grade of an answer of a GRPO run or RAFT round: for its audit, and for no judge. */
export const RolloutGrade = z.strictObject({
  rollout_id: z.string().describe('Of `GET /v1/grpo/runs/{id}/audit`, or of `GET /v1/raft/rounds/{id}/audit`.'),
  label: Verdict.optional(),
  verdict: Verdict.optional().describe('Same as `label`.'),
  rationale: text(10_000).nullish(),
  grader: word.nullish().describe('The grader; by default the user of the API key.'),
})
export type RolloutGrade = z.infer<typeof RolloutGrade>

export const GradeItems = z.strictObject({ labels: z.array(z.unknown()).min(1).max(500) })

/** The results of several grades. A refused one has no effect on the others. */
export const GradedList = z.object({
  object: z.literal('list'),
  data: z.array(Label),
  created: z.int(),
  superseded: z.int().describe('Number of grades that superseded an earlier one.'),
  rejected: z.array(z.object({ index: z.int(), code: z.string(), message: z.string(), param: z.string().nullable() })),
})
export type GradedList = z.infer<typeof GradedList>

/** Maximum number of refused lines of an import that the answer lists. */
export const maxImportRejections = 100

export const LabelImportSummary = z.object({
  object: z.literal('label.import'),
  lines: z.int().describe('The sum of created, duplicates and refused.'),
  created: z.int(),
  superseded: z.int().describe('Number of grades that superseded an earlier one.'),
  duplicates: z.int().describe('Number of lines with a grade that exists already.'),
  refused: z.int(),
  reasons: z.record(z.string(), z.int()).describe('Number of refused lines by error code.'),
  rejected: z
    .array(
      z.object({
        line: z.int().describe('Number of the line, from 1.'),
        code: z.string(),
        message: z.string(),
        param: z.string().nullable().describe('The field of the line that is wrong.'),
      }),
    )
    .describe(`The first ${maxImportRejections} refused lines.`),
})
export type LabelImportSummary = z.infer<typeof LabelImportSummary>

export const ImportedGrade = z.strictObject({
  messages: listOf(ChatMessage).min(1).max(10_000),
  response: z.union([ChatMessage, z.string()]).describe("The assistant's message, or its text."),
  label: Verdict.optional(),
  verdict: Verdict.optional().describe('Same as `label`.'),
  criterion_id: z.string().nullish().describe('By default that of the query.'),
  rationale: text(10_000).nullish(),
  external_id: word.nullish().describe('Identifies the item; by default its content does.'),
  weight: z
    .number()
    .min(1)
    .max(1e12)
    .nullish()
    .describe(
      '1 / the probability with which the item was selected. It is stored as `sampling`; calibrations count imported grades as picked, because their draw is not on record.',
    ),
  tools: z.array(z.unknown()).nullish(),
  model: word.nullish().describe('The model that answered.'),
  grader: word.nullish().describe('The grader; by default the user of the API key.'),
})
export type ImportedGrade = z.infer<typeof ImportedGrade>

const labelFilters = {
  criterion_id: word.optional(),
  log_id: word.optional(),
  label: Verdict.optional(),
  grader_id: word.optional(),
  source: Label.shape.source.exclude(['audit']).optional(),
  start: moment.describe('Created at or after this time.').optional(),
  end: moment.describe('Created before this time.').optional(),
  include_superseded: flag.optional(),
}
const LabelFilters = z.object(labelFilters)
export type LabelFilters = z.output<typeof LabelFilters>

export const createLabels = endpoint({
  method: 'post',
  path: '/v1/labels',
  summary: 'Grade logged exchanges.',
  description:
    'Either one grade, answered with the label, or `{"labels": [...]}` with up to 500, answered with the result of each. Grades are permanent: a later one of the same grader for the same exchange and criterion supersedes the first. Without `criterion_id` a grade counts for every judge whose population contains the exchange. With a `rollout_id` it grades an answer of a GRPO run or RAFT round, for its audit: it calibrates no judge, and is not among the labels that are listed; a list has at most 100 of these, and no others.',
  service: 'judging',
  permission: 'owner_admin',
  guard: true,
  body: z.union([GradeItem, RolloutGrade, GradeItems]),
  reply: z.union([Label, GradedList]),
  status: 201,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'conflict',
    'idempotency_conflict',
    'not_found',
    'unknown_parameter',
    'unsupported_unit',
    'logging_disabled',
    'quota_exceeded',
    'request_too_large',
    'unsupported_media_type',
  ],
})

export const listLabels = endpoint({
  method: 'get',
  path: '/v1/labels',
  summary: 'List grades.',
  description: 'Newest first. Superseded grades are included only with `include_superseded=true`.',
  service: 'judging',
  permission: 'any',
  query: z.strictObject({ ...labelFilters, limit: pageLimit, offset: pageOffset }),
  reply: pageOf(Label),
  errors: ['unknown_parameter'],
})

export const getLabel = endpoint({
  method: 'get',
  path: '/v1/labels/:id',
  summary: 'Read a grade.',
  description: 'Includes the snapshot of the graded content.',
  service: 'judging',
  permission: 'any',
  params: z.strictObject({ id: z.string() }),
  reply: Label,
  errors: ['not_found', 'unknown_parameter'],
})

export const importLabels = endpoint({
  method: 'post',
  path: '/v1/labels/import',
  summary: 'Import grades.',
  description:
    'JSON lines, at most 50,000 of 1 MB each and 64 MB in total, as the body or as the `file` of a form; a form may have the `criterion_id` before its file. Without it, the grades count for every judge whose population is all traffic. A wrong line is reported without effect on the others, and so is a line that contradicts an earlier one of the same grader about the same item. Existing grades are skipped, so an import can be sent again. Content is redacted like logs, and counts towards the storage quota. A judge has at most 100,000 grades, and there are at most 100,000 without a judge.',
  service: 'judging',
  permission: 'owner_admin',
  guard: true,
  maxBodyBytes: 64 * mebibyte,
  query: z.strictObject({ criterion_id: word.optional() }),
  body: ImportedGrade,
  reply: LabelImportSummary,
  status: 202,
  bodyTypes: [...jsonLinesTypes, 'multipart/form-data'],
  form: z.strictObject({ criterion_id: word.optional(), file: uploadedFile }),
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'not_found',
    'conflict',
    'idempotency_conflict',
    'unknown_parameter',
    'unsupported_unit',
    'quota_exceeded',
    'request_too_large',
    'unsupported_media_type',
  ],
})

export const exportLabels = endpoint({
  method: 'get',
  path: '/v1/labels/export',
  summary: 'Export grades.',
  description: 'JSON lines with one label each, newest first.',
  service: 'judging',
  permission: 'any',
  query: z.strictObject(labelFilters),
  reply: z.string(),
  downloads: ['application/jsonl'],
  errors: ['unknown_parameter'],
})

export const labelAgreement = endpoint({
  method: 'get',
  path: '/v1/labels/agreement',
  summary: 'Measure the agreement of graders.',
  description: 'Over items that at least two graders graded for a criterion.',
  service: 'judging',
  permission: 'any',
  query: z.strictObject({ criterion_id: word }),
  reply: z.object({
    object: z.literal('label.agreement'),
    criterion_id: z.string(),
    pairs_n: z.int().describe('Number of pairs of grades of one item.'),
    raw_agreement: z
      .number()
      .nullable()
      .describe('Share of those pairs that agree; a perfect judge cannot show more against one grader.'),
    raw_agreement_ci: RateInterval.nullable().describe(
      '95 % Wilson interval. With an upper bound below 0.9 no number of grades proves a judge.',
    ),
    cohen_kappa: z.number().nullable().describe("Cohen's kappa of the two graders with the most items in common."),
    fleiss_kappa: z.number().nullable(),
    per_grader: z.array(
      z.object({
        grader_id: z.string(),
        grades: z.int(),
        agreement_with_majority: z.number().nullable().describe('Over items with a majority.'),
      }),
    ),
    disagreements: z
      .array(z.string())
      .describe(
        'Log ids, or label ids of imported items. Items without a majority, which need a decision, come first.',
      ),
  }),
  errors: ['not_found', 'unknown_parameter'],
})
