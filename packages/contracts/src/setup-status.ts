import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** The next steps of a workspace. Each requires those before it. */
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

/** The progress of a workspace with the improvement loop. */
export const SetupStatus = z.object({
  workspace: z.object({ slug: z.string(), name: z.string() }),
  logging: z.object({ enabled: z.boolean(), retention_days: z.int() }),
  traffic: z.object({
    logged_conversations: z
      .int()
      .nullable()
      .describe('Number of exchanges in the log; null when the log cannot be read.'),
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
  summary: 'Read the setup status.',
  description:
    'The cheapest way to check an API key. With `Accept: text/plain` the same data is returned as lines of `key=value`, with nothing for an absent value.',
  service: 'logging',
  permission: 'any',
  reply: SetupStatus,
  errors: ['unknown_parameter'],
})
