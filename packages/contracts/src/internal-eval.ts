import { z } from 'zod'
import { endpoint } from './endpoint.ts'
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
  reply: z.object({ evals: z.int().describe('Number of evals that are DONE.') }),
})

/** The evals that compared two models, as evidence for an alias; the edge does not forward to it. */
export const evalEvidence = endpoint({
  method: 'get',
  path: '/internal/eval/evidence',
  summary: 'Find evals that compared two models.',
  description: 'Evals that are DONE and ended since the given time, newest first, at most 50.',
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
        finished_at: z.iso.datetime(),
      }),
    ),
  }),
})
