import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { WeighedEvidence } from './eval-evidence.ts'
import { moment } from './query-values.ts'

/** For the setup status; the edge does not forward to it. */
export const evalProgress = endpoint({
  method: 'get',
  path: '/internal/eval/progress',
  summary: 'Count the evals of a workspace.',
  description: 'For the setup status.',
  service: 'eval',
  audience: 'internal',
  callers: ['logging'],
  reply: z.object({
    evals: z.int().describe('Number of evals that are DONE.'),
    samples_needed: z
      .int()
      .default(0)
      .describe('Samples with which an eval most likely answers its question, for what its author expects by default.'),
  }),
})

/** For the deletion of datasets; the edge does not forward to it. */
export const datasetReaders = endpoint({
  method: 'get',
  path: '/internal/eval/dataset-readers',
  summary: 'Count the evals that still have to read a dataset.',
  description: 'An eval reads its dataset when it begins, and never again.',
  service: 'eval',
  audience: 'internal',
  callers: ['logging'],
  query: z.strictObject({ dataset_id: z.string() }),
  reply: z.object({ evals: z.int().describe('Number of evals that are PENDING and take their prompts from it.') }),
})

/** The evals that compared two models, as evidence for an alias; the edge does not forward to it. */
export const evalEvidence = endpoint({
  method: 'get',
  path: '/internal/eval/evidence',
  summary: 'Find evals that compared two models.',
  description:
    'Evals that are DONE and ended since the given time, newest first, at most 50. An eval that is cancelled or FAILED is no evidence, but counts as an attempt.',
  service: 'eval',
  audience: 'internal',
  callers: ['alias'],
  query: z.strictObject({
    baseline_model: z.string(),
    candidate_model: z.string(),
    since: moment,
  }),
  reply: z.object({
    data: z.array(
      z.object({
        eval_id: z.string(),
        win_rate: z.number().nullable(),
        win_rate_ci: z.tuple([z.number(), z.number()]).nullable(),
        savings_pct: z.number().nullable(),
        savings_low: z
          .number()
          .nullable()
          .default(null)
          .describe(
            'Lower bound of the savings, percent. Null without one, and from processes of the previous release.',
          ),
        criterion_id: z
          .string()
          .nullable()
          .default(null)
          .describe('The criterion that judged. Null without one, and from processes of the previous release.'),
        finished_at: z.iso.datetime(),
        evidence: WeighedEvidence.optional().describe('Absent from processes of the previous release.'),
      }),
    ),
  }),
})
