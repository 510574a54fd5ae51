import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** What the setup status tells of evals; the edge has no way here. */
export const evalProgress = endpoint({
  method: 'get',
  path: '/internal/eval/progress',
  summary: 'See how far a workspace is with evals.',
  description: 'A number for the setup status.',
  service: 'eval',
  reply: z.object({ evals: z.int().describe('Those that are DONE.') }),
})
