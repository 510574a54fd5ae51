import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { SetupStatus } from './setup-status.ts'

/** What the setup status tells of grades and judges; the edge has no way here. */
export const judgingProgress = endpoint({
  method: 'get',
  path: '/internal/judging/progress',
  summary: 'See how far a workspace is with grades and judges.',
  description: 'Numbers for the setup status.',
  service: 'judging',
  reply: z.object({ grades: SetupStatus.shape.grades, judges: SetupStatus.shape.judges }),
})
