import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { CurationFilters } from './curation-filters.ts'
import { UploadFormat } from './dataset-format.ts'
import { datasetState } from './dataset-progress.ts'
import { endpoint } from './endpoint.ts'
import { maxUploadBytes, uploadedFile } from './files.ts'
import { Leakage } from './leakage.ts'
import { listOf } from './list-of.ts'
import { pageLimit, pageOf } from './page.ts'
import { wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'
import { TrainingExample } from './training-example.ts'

export const Dataset = z.object({
  object: z.literal('dataset'),
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  kind: z.enum(['train', 'eval']),
  /** The id of the dataset with the other side of the split. */
  sibling_id: z.string().nullable(),
  source: z.enum(['logs', 'upload', 'raft', 'evals', 'distill']),
  /**
   * `preference`: each example has a preferred and another answer, for the method `dpo`. `prompts`: each ends before the reply,
   * for GRPO runs, rounds, teachers and evals.
   */
  format: z.enum(['chat', 'preference', 'prompts']).default('chat'),
  ...datasetState,
  example_count: z.int(),
  /** Estimated as bytes / 4. */
  token_count_estimate: z.int(),
  /** SHA-256 of the `openai` export, in hex; empty until it is ready. */
  sha256: z.string(),
  /** The segment of all examples; null when they have several. */
  segment: z.string().nullable(),
  segments: z.array(z.string()),
  /** The filters of its curation. */
  filters: z.record(z.string(), z.unknown()),
  criterion_id: z.string().nullable(),
  holdout_pct: z.int().nullable(),
  /** Size of the `openai` export. */
  size_bytes: z.int(),
  /** Id of the user who created it. */
  created_by: z.string(),
  created_at: z.iso.datetime(),
})
export type Dataset = z.infer<typeof Dataset>

const count = z.int().min(0)

/** Counts of exchanges, except the two that count examples. matched = kept + the sum of dropped. */
export const CurationSummary = z.object({
  matched: count,
  kept: count.describe('The sum of train_count, eval_count and folded_turns.'),
  dropped: z.object({
    errored: count,
    truncated: count,
    empty: count,
    duplicate: count,
    near_duplicate: count,
    judge_failed: count,
    judge_unscored: count,
    too_long: count,
    leaked: count,
    over_max_examples: count,
  }),
  folded_conversations: count.describe('Number of examples that contain earlier exchanges as turns.'),
  folded_turns: count.describe('Number of exchanges that became an earlier turn of an example.'),
  train_count: count.describe('Number of examples.'),
  eval_count: count.describe('Number of examples.'),
  leakage: Leakage,
})
export type CurationSummary = z.infer<typeof CurationSummary>

export const Redaction = z.object({ count, kinds: z.array(z.string()) })

export const DatasetCuration = z.object({
  object: z.literal('dataset.curation'),
  /** Null after a dry run. */
  dataset: Dataset.nullable(),
  eval_dataset: Dataset.nullable(),
  summary: CurationSummary,
  redaction: Redaction.describe(
    'Secrets that were replaced in an upload before it was stored. Zero for datasets from logs, which are redacted already.',
  ),
  warnings: z
    .array(z.string())
    .default([])
    .describe('That a judge has not judged all exchanges that match. Those without its verdict are left out.'),
})
export type DatasetCuration = z.infer<typeof DatasetCuration>

export const DatasetExample = z.object({
  index: z.int(),
  messages: z
    .array(z.looseObject({ role: z.string() }))
    .describe('Of an example with two answers, with the preferred one at the end.'),
  non_preferred_output: z
    .array(z.looseObject({ role: z.string() }))
    .nullable()
    .default(null)
    .describe('The other answer; null for an example with one.'),
  tools: z.array(z.unknown()).nullable(),
  sha256: z.string(),
  source_log_id: z.string().nullable(),
  folded_turns: z.int(),
})
export type DatasetExample = z.infer<typeof DatasetExample>

export const DatasetName = storable(z.string().trim().min(1).max(200))
export const DatasetDescription = storable(z.string().max(2_000))
const weight = z.union([z.literal(0), z.literal(1)])

export const CurateFromLogs = z.strictObject({
  name: DatasetName,
  description: DatasetDescription.nullish(),
  holdout_pct: z
    .int()
    .min(0)
    .max(99)
    .default(0)
    .describe('Percentage of the examples that go to a second dataset, whose name ends with `-eval`.'),
  filters: CurationFilters.default({}).describe('Selects the exchanges, with the filters of the list of logs.'),
  criterion_id: z
    .string()
    .nullish()
    .describe(
      'A judge; only exchanges with its `verdict` are kept. Others are counted in `judge_failed` (another verdict) or `judge_unscored` (none by the present model, prompt and population of the judge). A judge of complete runs is refused, because its verdict is on no single answer.',
    ),
  verdict: z.enum(['pass', 'fail']).nullish().describe('`pass` by default; allowed only together with `criterion_id`.'),
  max_examples: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullish()
    .describe('Maximum number of examples. The seed decides which ones are selected.'),
  dedupe: z.enum(['exact', 'near']).default('exact'),
  include_tools: z.boolean().default(true),
  weight_earlier_turns: weight.default(1).describe('Weight of all answers of a conversation except the last.'),
  seed: z.int().default(0),
  dry_run: z.boolean().default(false).describe('Only counts; no dataset is created.'),
})
export type CurateFromLogs = z.infer<typeof CurateFromLogs>

/** The content of a dataset that is uploaded as JSON: its examples, or the id of an uploaded file. */
export const CreateDataset = z.strictObject({
  name: DatasetName,
  description: DatasetDescription.nullish(),
  format: UploadFormat.default('chat'),
  examples: listOf(TrainingExample).min(1).optional(),
  file_id: z.string().optional(),
  fileId: z.string().optional().describe('Same as `file_id`.'),
})
export type CreateDataset = z.infer<typeof CreateDataset>

const params = z.object({ id: z.string() })
const page = { limit: pageLimit, offset: wholeNumber({ min: 0, max: 2_147_483_647 }).default(0) }

export const curateFromLogs = endpoint({
  method: 'post',
  path: '/v1/datasets/from_logs',
  summary: 'Curate a dataset from logs.',
  description:
    'Drops exchanges that failed, were cut off, are empty, too long or duplicates, and reports the number for each reason. Exchanges that continue one another become one example, in which every answer has a `weight`, 0 if it was given under other instructions; agent steps that do not repeat earlier ones stay separate. A conversation stays on one side of the holdout however its instructions change, together with its trace and with conversations whose questions are alike; a held out example that is still like training is dropped as `leaked`. At most 100,000 exchanges per request. A dry run is answered with 200, and does not use its `Idempotency-Key`. When no example would be left, the answer is 400, and `details.reason` is `nothing_matches`, `not_judged` (the judge has to scan the exchanges first) or `all_dropped`.',
  service: 'logging',
  permission: 'owner_admin',
  guard: true,
  status: 201,
  body: CurateFromLogs,
  reply: DatasetCuration,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'logging_disabled',
    'unknown_parameter',
    'quota_exceeded',
    'not_found',
    'conflict',
    'idempotency_conflict',
    'request_too_large',
    'unsupported_media_type',
  ],
})

export const createDataset = endpoint({
  method: 'post',
  path: '/v1/datasets',
  summary: 'Upload a dataset.',
  description:
    'As JSON (at most 16 MB, and 64 KB besides its `examples`), or as `multipart/form-data` with the fields `name`, `description`, `format` (before the file) and `file`, a JSONL file with one example per line (at most 512 MB). Nothing is dropped: an invalid example is refused with its line. Secrets are replaced by `[redacted]` and counted in `redaction`; a file that `file_id` names is not changed.',
  service: 'logging',
  permission: 'owner_admin',
  callers: ['training'],
  guard: true,
  maxBodyBytes: maxUploadBytes,
  maxJsonBytes: 16 * mebibyte,
  status: 201,
  bodyTypes: ['application/json', 'multipart/form-data'],
  form: z.strictObject({
    name: DatasetName,
    description: DatasetDescription.optional(),
    format: UploadFormat.optional(),
    file: uploadedFile,
  }),
  body: CreateDataset,
  reply: DatasetCuration,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'unknown_parameter',
    'quota_exceeded',
    'not_found',
    'conflict',
    'idempotency_conflict',
    'request_too_large',
    'unsupported_media_type',
  ],
})

export const listDatasets = endpoint({
  method: 'get',
  path: '/v1/datasets',
  summary: 'List datasets.',
  description: 'Newest first.',
  service: 'logging',
  permission: 'any',
  query: z.strictObject({
    name: storable(z.string()).optional().describe('Exact name.'),
    segment: storable(z.string()).optional().describe('Datasets with examples of this segment.'),
    kind: z.enum(['train', 'eval']).optional(),
    ...page,
  }),
  reply: pageOf(Dataset),
  errors: ['unknown_parameter'],
})

export const getDataset = endpoint({
  method: 'get',
  path: '/v1/datasets/:id',
  summary: 'Read a dataset.',
  description: 'Returns its facts and its origin, without its examples.',
  service: 'logging',
  permission: 'any',
  callers: ['eval', 'training'],
  params,
  reply: Dataset,
  errors: ['unknown_parameter', 'not_found'],
})

export const listDatasetExamples = endpoint({
  method: 'get',
  path: '/v1/datasets/:id/examples',
  summary: 'List the examples of a dataset.',
  description: 'In the order of the export. `source_log_id` is the id of the log entry, which may have expired.',
  service: 'logging',
  permission: 'any',
  callers: ['eval'],
  params,
  query: z.strictObject(page),
  reply: pageOf(DatasetExample),
  errors: ['unknown_parameter', 'not_found', 'conflict'],
})

export const exportDataset = endpoint({
  method: 'get',
  path: '/v1/datasets/:id/export',
  summary: 'Download a dataset.',
  description:
    'Streams JSONL, or CSV with `csv`. `openai` is the format of trainers; `sha256` is computed over it. Lines of `openai_evals` are `{"item": {"input", "ideal", "tools"}}`, lines of `sharegpt` are `{"conversations": [{"from", "value"}], "tools"}`.',
  service: 'logging',
  permission: 'any',
  callers: ['training'],
  params,
  query: z.strictObject({ format: z.enum(['openai', 'openai_evals', 'sharegpt', 'csv']).default('openai') }),
  reply: z.string(),
  downloads: ['application/jsonl', 'text/csv'],
  errors: ['unknown_parameter', 'not_found', 'conflict'],
})

export const updateDataset = endpoint({
  method: 'patch',
  path: '/v1/datasets/:id',
  summary: 'Rename a dataset.',
  description: 'The examples are frozen; only `name` and `description` can change.',
  service: 'logging',
  permission: 'owner_admin',
  params,
  body: z.strictObject({ name: DatasetName.optional(), description: DatasetDescription.nullish() }),
  reply: Dataset,
  errors: ['unknown_parameter', 'not_found', 'request_too_large', 'unsupported_media_type'],
})

export const deleteDataset = endpoint({
  method: 'delete',
  path: '/v1/datasets/:id',
  summary: 'Delete a dataset.',
  description: 'Deletes it with its examples, permanently. The other side of a split is kept.',
  service: 'logging',
  permission: 'owner_admin',
  params,
  reply: z.object({ id: z.string(), deleted: z.literal(true) }),
  errors: ['unknown_parameter', 'not_found', 'dataset_in_use'],
})
