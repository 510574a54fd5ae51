import { z } from 'zod'
import { CurateFromLogs, CurationSummary, DatasetCuration } from './datasets.ts'
import { endpoint } from './endpoint.ts'
import { logFilters } from './log-filters.ts'
import { moment, wholeNumber } from './query-values.ts'

const { start: _start, end: _end, ...otherFilters } = logFilters

/** The number of log entries in each of some equal parts of a time. */
export const logHistogram = endpoint({
  method: 'get',
  path: '/session/logs/histogram',
  summary: 'Count log entries over time.',
  description:
    'The matches in equal parts of the time from `start` to `end`. The newest 1,000,000 are counted, or the newest 10,000 with filters other than times; `count` is null where older ones were not counted.',
  service: 'logging',
  audience: 'session',
  permission: 'any',
  query: z.strictObject({
    ...otherFilters,
    start: moment,
    end: moment,
    buckets: wholeNumber({ min: 1, max: 120 }).default(60),
  }),
  reply: z.object({
    object: z.literal('log.histogram'),
    bucket_ms: z.number().describe('Milliseconds of each part.'),
    buckets: z.array(z.object({ start: z.iso.datetime(), count: z.int().nullable() })),
  }),
  errors: ['logging_disabled', 'unknown_parameter'],
})

export const valueFields = ['model', 'tag', 'segment', 'finish_reason', 'alias'] as const

/** The values that a filter can have. */
export const logValues = endpoint({
  method: 'get',
  path: '/session/logs/facets',
  summary: 'List the values of a filter.',
  description:
    'The most frequent values among the newest 2,000 matches, at most 50. Entries without a value are left out.',
  service: 'logging',
  audience: 'session',
  permission: 'any',
  query: z.strictObject({ ...logFilters, field: z.enum(valueFields) }),
  reply: z.object({
    object: z.literal('log.facets'),
    field: z.enum(valueFields),
    looked_at: z.int().describe('Number of entries that were read.'),
    values: z.array(z.object({ value: z.string(), count: z.int() })),
  }),
  errors: ['logging_disabled', 'unknown_parameter'],
})

const someLogIds = z.array(z.string())

export const DatasetPreview = DatasetCuration.extend({
  dropped_log_ids: z
    .record(CurationSummary.shape.dropped.keyof(), someLogIds)
    .describe('At most five log entries of each reason, the oldest first.'),
})
export type DatasetPreview = z.infer<typeof DatasetPreview>

/** What a curation would keep and drop. Unlike a dry run with a key, it does not count for the abuse guard. */
export const previewDataset = endpoint({
  method: 'post',
  path: '/session/datasets/preview',
  summary: 'Count what a curation keeps and drops.',
  description: 'The same as a dry run of `POST /v1/datasets/from_logs`, with examples of what is dropped.',
  service: 'logging',
  audience: 'session',
  permission: 'owner_admin',
  body: CurateFromLogs.omit({ name: true, description: true, dry_run: true }),
  reply: DatasetPreview,
  errors: ['logging_disabled', 'unknown_parameter', 'not_found', 'request_too_large', 'unsupported_media_type'],
})
