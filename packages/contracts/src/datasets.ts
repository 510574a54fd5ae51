import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { logFilters, pageLimit } from './log-filters.ts'
import { flag, wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'
import { TrainingExample } from './training-example.ts'

export const Dataset = z.object({
  object: z.literal('dataset'),
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  kind: z.enum(['train', 'eval']),
  /** The other side of the split. */
  sibling_id: z.string().nullable(),
  source: z.enum(['logs', 'upload', 'raft']),
  example_count: z.int(),
  /** A quarter of the bytes. */
  token_count_estimate: z.int(),
  /** Of the `openai` export, in hex. */
  sha256: z.string(),
  /** Where all examples came from one. */
  segment: z.string().nullable(),
  segments: z.array(z.string()),
  /** What it was curated with. */
  filters: z.record(z.string(), z.unknown()),
  criterion_id: z.string().nullable(),
  holdout_pct: z.int().nullable(),
  /** Of the `openai` export. */
  size_bytes: z.int(),
  /** User. */
  created_by: z.string(),
  created_at: z.iso.datetime(),
})
export type Dataset = z.infer<typeof Dataset>

const count = z.int().min(0)

/** Counts of exchanges, but for the two that count examples; matched = kept + the sum of what was dropped. */
export const CurationSummary = z.object({
  matched: count,
  kept: count.describe('train_count + eval_count + folded_turns.'),
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
  folded_conversations: count.describe('Examples that earlier exchanges were folded into.'),
  folded_turns: count.describe('Exchanges that live on as an earlier turn of an example.'),
  train_count: count.describe('Examples.'),
  eval_count: count.describe('Examples.'),
})
export type CurationSummary = z.infer<typeof CurationSummary>

const Redaction = z.object({ count, kinds: z.array(z.string()) })

export const DatasetCuration = z.object({
  object: z.literal('dataset.curation'),
  /** Null after a dry run. */
  dataset: Dataset.nullable(),
  eval_dataset: Dataset.nullable(),
  summary: CurationSummary,
  redaction: Redaction.describe('Of an upload: the secrets that were replaced before it was stored. None of logs.'),
})
export type DatasetCuration = z.infer<typeof DatasetCuration>

export const DatasetExample = z.object({
  index: z.int(),
  messages: z.array(z.looseObject({ role: z.string() })),
  tools: z.array(z.unknown()).nullable(),
  sha256: z.string(),
  source_log_id: z.string().nullable(),
  folded_turns: z.int(),
})
export type DatasetExample = z.infer<typeof DatasetExample>

export const DatasetName = storable(z.string().trim().min(1).max(200))
export const DatasetDescription = storable(z.string().max(2_000))

const jsonFlag = z.union([z.boolean(), flag], 'This must be true or false.')

/** The filters of the list of logs, as members of a JSON object. */
export const CurationFilters = z.strictObject({
  ...logFilters,
  cache_hit: jsonFlag.optional(),
  canary: jsonFlag.optional(),
  has_tool_calls: jsonFlag.optional(),
})
export type CurationFilters = z.infer<typeof CurationFilters>

const weight = z.union([z.literal(0), z.literal(1)])

export const CurateFromLogs = z.strictObject({
  name: DatasetName,
  description: DatasetDescription.nullish(),
  holdout_pct: z
    .int()
    .min(0)
    .max(99)
    .default(0)
    .describe('Percent of the examples that go to a dataset of their own, whose name ends with `-eval`.'),
  filters: CurationFilters.default({}).describe('Which exchanges; the filters of the list of logs.'),
  criterion_id: z.string().nullish().describe('A judge whose verdict decides.'),
  verdict: z.enum(['pass', 'fail']).nullish().describe('Default `pass`; only together with `criterion_id`.'),
  max_examples: z.int().min(1).max(1_000_000).nullish().describe('Most examples; which ones, the seed decides.'),
  dedupe: z.enum(['exact', 'near']).default('exact'),
  include_tools: z.boolean().default(true),
  weight_earlier_turns: weight.default(1).describe('Of all answers of a conversation but the last.'),
  seed: z.int().default(0),
  dry_run: z.boolean().default(false).describe('Only count.'),
})
export type CurateFromLogs = z.infer<typeof CurateFromLogs>

/** What a dataset is made of that is uploaded as JSON: its examples, or a file that was uploaded before. */
export const CreateDataset = z.strictObject({
  name: DatasetName,
  description: DatasetDescription.nullish(),
  examples: z.array(TrainingExample).min(1).optional(),
  file_id: z.string().optional(),
  fileId: z.string().optional().describe('Another spelling of `file_id`.'),
})
export type CreateDataset = z.infer<typeof CreateDataset>

const params = z.object({ id: z.string() })
const page = {
  limit: pageLimit,
  offset: wholeNumber({ min: 0, max: 2_147_483_647 }).default(0),
}
const pageReply = { total: z.int(), limit: z.int(), offset: z.int(), has_more: z.boolean() }

export const curateFromLogs = endpoint({
  method: 'post',
  path: '/v1/datasets/from_logs',
  summary: 'Curate a dataset from logs.',
  description:
    'Drops exchanges that failed, were cut off, are empty, too long or a repetition, and says how many for what reason. Exchanges that go on from one another become one example, in which every answer carries a `weight`; steps of an agent that do not repeat one another stay apart. Conversations, traces and what began alike stay on one side of the holdout. At most 100,000 exchanges at a time. A dry run is answered with 200.',
  service: 'logging',
  status: 201,
  body: CurateFromLogs,
  reply: DatasetCuration,
  errors: [
    'logging_disabled',
    'unknown_parameter',
    'not_found',
    'conflict',
    'request_too_large',
    'unsupported_media_type',
  ],
})

export const createDataset = endpoint({
  method: 'post',
  path: '/v1/datasets',
  summary: 'Upload a dataset.',
  description:
    'As JSON (at most 16 MB), or as `multipart/form-data` with the fields `name`, `description` and `file`, a JSONL file with one example per line (at most 512 MB). Nothing is dropped: an example that is none is refused with its line. Secrets are replaced by `[redacted]` and counted in `redaction`; a file that `file_id` names stays as it is.',
  service: 'logging',
  status: 201,
  bodyTypes: ['application/json', 'multipart/form-data'],
  body: CreateDataset,
  reply: DatasetCuration,
  errors: ['unknown_parameter', 'not_found', 'request_too_large', 'unsupported_media_type'],
})

export const listDatasets = endpoint({
  method: 'get',
  path: '/v1/datasets',
  summary: 'List datasets.',
  description: 'The newest first.',
  service: 'logging',
  query: z.strictObject({
    name: storable(z.string()).optional().describe('Exactly this name.'),
    segment: storable(z.string()).optional().describe('Those with examples of this segment.'),
    kind: z.enum(['train', 'eval']).optional(),
    ...page,
  }),
  reply: z.object({ object: z.literal('list'), data: z.array(Dataset), ...pageReply }),
  errors: ['unknown_parameter'],
})

export const getDataset = endpoint({
  method: 'get',
  path: '/v1/datasets/:id',
  summary: 'Read a dataset.',
  description: 'What it is and where it came from; not its examples.',
  service: 'logging',
  params,
  reply: Dataset,
  errors: ['unknown_parameter', 'not_found'],
})

export const listDatasetExamples = endpoint({
  method: 'get',
  path: '/v1/datasets/:id/examples',
  summary: 'List the examples of a dataset.',
  description: 'In the order of the export. `source_log_id` names the log entry, which may have expired.',
  service: 'logging',
  params,
  query: z.strictObject(page),
  reply: z.object({ object: z.literal('list'), data: z.array(DatasetExample), ...pageReply }),
  errors: ['unknown_parameter', 'not_found'],
})

export const exportDataset = endpoint({
  method: 'get',
  path: '/v1/datasets/:id/export',
  summary: 'Download a dataset.',
  description:
    'JSONL, streamed; `csv` is CSV. `openai` is what trainers take, and what `sha256` is of. `openai_evals` has lines `{"item": {"input", "ideal", "tools"}}`, `sharegpt` lines `{"conversations": [{"from", "value"}], "tools"}`.',
  service: 'logging',
  params,
  query: z.strictObject({ format: z.enum(['openai', 'openai_evals', 'sharegpt', 'csv']).default('openai') }),
  reply: z.string(),
  downloads: ['application/jsonl', 'text/csv'],
  errors: ['unknown_parameter', 'not_found'],
})

export const updateDataset = endpoint({
  method: 'patch',
  path: '/v1/datasets/:id',
  summary: 'Rename a dataset.',
  description: 'What it holds is frozen: only `name` and `description` change.',
  service: 'logging',
  params,
  body: z.strictObject({ name: DatasetName.optional(), description: DatasetDescription.nullish() }),
  reply: Dataset,
  errors: ['unknown_parameter', 'not_found', 'request_too_large', 'unsupported_media_type'],
})

export const deleteDataset = endpoint({
  method: 'delete',
  path: '/v1/datasets/:id',
  summary: 'Delete a dataset.',
  description: 'With its examples, for good. The other side of a split stays.',
  service: 'logging',
  params,
  reply: z.object({ id: z.string(), deleted: z.literal(true) }),
  errors: ['unknown_parameter', 'not_found', 'dataset_in_use'],
})
