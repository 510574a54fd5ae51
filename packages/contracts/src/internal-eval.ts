import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { moment } from './query-values.ts'

/** What the setup status tells of evals; the edge has no way here. */
export const evalProgress = endpoint({
  method: 'get',
  path: '/internal/eval/progress',
  summary: 'See how far a workspace is with evals.',
  description: 'A number for the setup status.',
  service: 'eval',
  reply: z.object({ evals: z.int().describe('Those that are DONE.') }),
})

/** What evals have proven of two models; the edge has no way here. */
export const evalEvidence = endpoint({
  method: 'get',
  path: '/internal/eval/evidence',
  summary: 'Find evals that compared two models.',
  description: 'Those that are DONE and ended since, the newest first, at most 50.',
  service: 'eval',
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
