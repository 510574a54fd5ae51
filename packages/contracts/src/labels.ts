import { z } from 'zod'
import { Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { pageFields, pageLimit, pageOffset } from './log-filters.ts'
import { jsonLinesTypes } from './log-import.ts'
import { flag, moment } from './query-values.ts'
import { storable } from './storable.ts'

const Message = z.looseObject({ role: z.string() })
const text = (longest: number) => storable(z.string().max(longest)).overwrite((value) => value.toWellFormed())
const word = storable(z.string().min(1).max(200)).overwrite((value) => value.toWellFormed())

export const LabelSampling = z.strictObject({
  method: word.describe('How the item was chosen: `random`, `balanced`, `disagreement` or your own word.'),
  probability: z.number().gt(0).max(1).describe('With which it was chosen.'),
  stratum: text(200).nullish(),
})
export type LabelSampling = z.infer<typeof LabelSampling>

/** A grade. It is permanent: a later one of the same grader takes its place, none is changed or deleted. */
export const Label = z.object({
  object: z.literal('label'),
  id: z.string(),
  criterion_id: z.string().nullable().describe('Null for a grade of the exchange as a whole.'),
  unit: z.enum(['request', 'trace']),
  log_id: z.string().nullable(),
  trace_id: z.string().nullable().describe('The run that the exchange is a step of, or that was graded as a whole.'),
  label: Verdict,
  rationale: z.string().nullable(),
  grader_id: z.string(),
  grader_type: z.literal('human'),
  source: z.enum(['api', 'review_queue', 'import']),
  blind: z.boolean().describe("Whether it is known to have been given without sight of the judge's verdict."),
  snapshot: z
    .object({
      messages: z.array(Message),
      response: Message,
      tools: z.array(z.unknown()).nullable(),
      model: z.string().nullable(),
      segment: z.string(),
      sha256: z.string(),
    })
    .describe('What was graded, redacted; it outlives the log entry.'),
  sampling: z.object({ method: z.string(), probability: z.number(), stratum: z.string().nullable() }).nullable(),
  superseded_by: z.string().nullable(),
  created_at: z.iso.datetime(),
})
export type Label = z.infer<typeof Label>

export const GradeItem = z.strictObject({
  log_id: z.string(),
  label: Verdict.optional(),
  verdict: Verdict.optional().describe('Another name of `label`.'),
  criterion_id: z.string().nullish(),
  rationale: text(10_000).nullish(),
  grader: word.nullish().describe("Who graded; the key's user when absent."),
  blind: z.boolean().nullish().describe("Whether it was given without sight of the judge's verdict; default false."),
  unit: z.enum(['request', 'trace']).nullish(),
  sampling: LabelSampling.nullish(),
})
export type GradeItem = z.infer<typeof GradeItem>

export const GradeItems = z.strictObject({ labels: z.array(z.unknown()).min(1).max(500) })

/** What became of several grades; one that is refused leaves the others alone. */
export const GradedList = z.object({
  object: z.literal('list'),
  data: z.array(Label),
  created: z.int(),
  superseded: z.int().describe('How many of those took the place of an earlier one.'),
  rejected: z.array(z.object({ index: z.int(), code: z.string(), message: z.string(), param: z.string().nullable() })),
})
export type GradedList = z.infer<typeof GradedList>

/** Lines of an import that were not taken, of which the answer tells. */
export const maxImportRejections = 100

export const LabelImportSummary = z.object({
  object: z.literal('label.import'),
  lines: z.int().describe('created + duplicates + refused.'),
  created: z.int(),
  superseded: z.int().describe('How many of those took the place of an earlier grade.'),
  duplicates: z.int().describe('Lines that say what is known already.'),
  refused: z.int(),
  reasons: z.record(z.string(), z.int()).describe('How many lines were refused with which code.'),
  rejected: z
    .array(
      z.object({
        line: z.int().describe('From 1.'),
        code: z.string(),
        message: z.string(),
        param: z.string().nullable().describe('The field of the line that is at fault.'),
      }),
    )
    .describe(`The first ${maxImportRejections} that were refused.`),
})
export type LabelImportSummary = z.infer<typeof LabelImportSummary>

export const ImportedGrade = z.strictObject({
  messages: z.array(Message).min(1).max(10_000),
  response: z.union([Message, z.string()]).describe("The assistant's message, or its text."),
  label: Verdict.optional(),
  verdict: Verdict.optional().describe('Another name of `label`.'),
  criterion_id: z.string().nullish().describe('Default: that of the query.'),
  rationale: text(10_000).nullish(),
  external_id: word.nullish().describe('Names the item; without it, its content does.'),
  weight: z.number().min(1).max(1e12).nullish().describe('1 / the probability with which the item was chosen.'),
  tools: z.array(z.unknown()).nullish(),
  model: word.nullish().describe('What answered.'),
  grader: word.nullish().describe("Who graded; the key's user when absent."),
})
export type ImportedGrade = z.infer<typeof ImportedGrade>

const labelFilters = {
  criterion_id: word.optional(),
  log_id: word.optional(),
  label: Verdict.optional(),
  grader_id: word.optional(),
  source: Label.shape.source.optional(),
  start: moment.describe('Given then or later.').optional(),
  end: moment.describe('Given before.').optional(),
  include_superseded: flag.optional(),
}
const LabelFilters = z.object(labelFilters)
export type LabelFilters = z.output<typeof LabelFilters>

export const createLabels = endpoint({
  method: 'post',
  path: '/v1/labels',
  summary: 'Grade logged exchanges.',
  description:
    'One grade, answered with the label; or `{"labels": [...]}` with up to 500, answered with what became of each. Grades are permanent: a later one of the same grader for the same exchange and criterion supersedes the first. Without `criterion_id` a grade counts for every judge whose population has the exchange.',
  service: 'judging',
  body: z.union([GradeItem, GradeItems]),
  reply: z.union([Label, GradedList]),
  status: 201,
  errors: [
    'not_found',
    'unknown_parameter',
    'unsupported_unit',
    'logging_disabled',
    'request_too_large',
    'unsupported_media_type',
  ],
})

export const listLabels = endpoint({
  method: 'get',
  path: '/v1/labels',
  summary: 'List grades.',
  description: 'The newest first; those that were superseded only with `include_superseded=true`.',
  service: 'judging',
  query: z.strictObject({ ...labelFilters, limit: pageLimit, offset: pageOffset }),
  reply: z.object({ object: z.literal('list'), data: z.array(Label), ...pageFields }),
  errors: ['unknown_parameter'],
})

export const getLabel = endpoint({
  method: 'get',
  path: '/v1/labels/:id',
  summary: 'Read a grade.',
  description: 'With the snapshot of what was graded.',
  service: 'judging',
  params: z.strictObject({ id: z.string() }),
  reply: Label,
  errors: ['not_found', 'unknown_parameter'],
})

export const importLabels = endpoint({
  method: 'post',
  path: '/v1/labels/import',
  summary: 'Import grades that were given elsewhere.',
  description:
    'JSON lines, at most 50,000 of 1 MB each and 64 MB in all, as the body or as the `file` of a form; a form may name the `criterion_id` ahead of its file. Without any, the grades count for every judge whose population has all traffic. A line that is wrong is reported and leaves the others alone, and so is one that contradicts an earlier line of the same grader about the same item. What is known already is left out, so that an import can be sent again. Content is redacted as logs are.',
  service: 'judging',
  query: z.strictObject({ criterion_id: word.optional() }),
  body: ImportedGrade,
  reply: LabelImportSummary,
  status: 202,
  bodyTypes: [...jsonLinesTypes, 'multipart/form-data'],
  errors: ['not_found', 'unknown_parameter', 'unsupported_unit', 'request_too_large', 'unsupported_media_type'],
})

export const exportLabels = endpoint({
  method: 'get',
  path: '/v1/labels/export',
  summary: 'Export grades.',
  description: 'JSON lines, one label each, the newest first.',
  service: 'judging',
  query: z.strictObject(labelFilters),
  reply: z.string(),
  downloads: ['application/jsonl'],
  errors: ['unknown_parameter'],
})

export const labelAgreement = endpoint({
  method: 'get',
  path: '/v1/labels/agreement',
  summary: 'See how far graders agree.',
  description: 'Over items that at least two graders graded for a criterion.',
  service: 'judging',
  query: z.strictObject({ criterion_id: word }),
  reply: z.object({
    object: z.literal('label.agreement'),
    criterion_id: z.string(),
    pairs_n: z.int().describe('Pairs of grades of one item.'),
    raw_agreement: z.number().nullable().describe('Share of those pairs that agree.'),
    cohen_kappa: z.number().nullable().describe('Of the two graders with the most items in common.'),
    fleiss_kappa: z.number().nullable(),
    per_grader: z.array(
      z.object({
        grader_id: z.string(),
        grades: z.int(),
        agreement_with_majority: z.number().nullable().describe('Over items that have a majority.'),
      }),
    ),
    disagreements: z
      .array(z.string())
      .describe(
        'Log ids, or label ids of items that were imported; first those without a majority, to be adjudicated.',
      ),
  }),
  errors: ['not_found', 'unknown_parameter'],
})
