import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** What a workspace can do next; each needs what stands before it. */
export const nextActions = [
  'enable_logging',
  'send_traffic',
  'create_judge',
  'grade',
  'calibrate',
  'grade_fails',
  'run_eval',
  'create_alias',
  'none',
] as const
export type NextAction = (typeof nextActions)[number]

/** How far a workspace is with the improvement loop. */
export const SetupStatus = z.object({
  workspace: z.object({ slug: z.string(), name: z.string() }),
  logging: z.object({ enabled: z.boolean(), retention_days: z.int() }),
  traffic: z.object({
    logged_conversations: z.int().nullable().describe('Exchanges in the log; null when it cannot be reached.'),
  }),
  grades: z.object({ total: z.int(), needed_to_calibrate: z.int() }),
  judges: z.object({
    total: z.int(),
    calibrated: z.int(),
    trustworthy: z.int(),
    fail_grades_needed: z.int(),
  }),
  next: z.object({ action: z.enum(nextActions), detail: z.string() }),
})
export type SetupStatus = z.infer<typeof SetupStatus>

export const getSetupStatus = endpoint({
  method: 'get',
  path: '/v1/setup/status',
  summary: 'See how far the workspace is, and what comes next.',
  description:
    'The cheapest way to check a key. With `Accept: text/plain` the same as lines of `key=value`, an absent value as nothing.',
  service: 'logging',
  reply: SetupStatus,
  errors: ['unknown_parameter'],
})
