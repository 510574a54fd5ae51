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

const gradesToAct = z.int().min(0).nullable()

/** What a step takes, before anything is started. */
export const StepTakes = z.object({
  samples: z.int().min(0).nullable().describe('Logged exchanges, or prompts of an eval; null when it depends on you.'),
  grades: z
    .int()
    .min(0)
    .nullable()
    .describe(
      'Grades of people. Where classes are missing, the number that is expected to contain them at their present share; null when that is not within reach.',
    ),
  days: z
    .number()
    .min(0)
    .nullable()
    .describe('Days until the log has that many exchanges, at its pace; 0 when it has them, null without traffic.'),
  cost_usd: z
    .number()
    .min(0)
    .nullable()
    .describe('Cost of judging; null when it depends on the models that you choose, or the judge has no price.'),
  minutes: z
    .number()
    .min(0)
    .nullable()
    .describe('Time of people for the grades, at the pace of the latest ones, or 15 seconds for each.'),
})
export type StepTakes = z.infer<typeof StepTakes>

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
    can_act: z
      .int()
      .describe('Judges that gates in mode `auto`, evidence and rewards may act on, as `can_act` of a criterion says.'),
    fail_grades_needed: z.int(),
    act_fail_grades_needed: gradesToAct.describe(
      'Further grades of failing answers, drawn at random, until the judge that is nearest to it can act: at its present rates, or without an error if it has no calibration of drawn grades. 0 when a judge can act, or when other things than grades are missing; null without a judge, and when 1,000 would not be enough.',
    ),
    act_pass_grades_needed: gradesToAct.describe('The same of passing answers.'),
    cannot_act_reason: z
      .string()
      .nullable()
      .describe('Why the judge that is nearest to it cannot act; null when a judge can, and without a judge.'),
  }),
  next: z.object({
    action: z.enum(nextActions),
    detail: z.string(),
    takes: StepTakes.nullable().describe(
      'What the step takes; while no judge can act, the steps after `calibrate` include the grades until one can. Null for steps that take nothing.',
    ),
  }),
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
