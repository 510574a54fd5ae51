import { z } from 'zod'

const count = z.int().min(0)
const rate = z.number().min(0).max(1)
const usd = z.number().min(0)
const byArm = <T extends z.ZodType>(value: T) => z.object({ target: value, canary: value })

/** Of plans that an earlier release stored. */
const unknownCost = { usd_per_verdict: null, usd_per_verdict_from: null, judging_usd: null, mirroring_usd: null }

/** What a gate needs until it can decide. */
export const GatePlan = z.object({
  unit: z.enum(['request', 'trace']).default('request').describe('What is counted: answers, or complete runs.'),
  scored: byArm(count).describe('Scored answers or runs that each arm needs.'),
  grades: byArm(z.object({ fails: count, passes: count })).describe(
    'Grades that each arm needs of answers or runs drawn at random, by the verdict of the judge on them.',
  ),
  missing: z
    .object({ scored: byArm(count), grades: byArm(count) })
    .describe('What of this each arm still needs. Everything before the start.'),
  scored_per_hour: z
    .number()
    .nullable()
    .describe(
      'Answers or runs of both arms that the judge scores in an hour, by the traffic of the alias; null without any. Runs are known once the gate has counted some.',
    ),
  hours: z.number().nullable().describe('Hours until the judge has scored what is missing, at this pace.'),
  ready_at: z.iso.datetime().nullable().describe('When that is. Grades of people are needed by then as well.'),
  fits_window: z.boolean().nullable().describe('Whether that is before `gate_window_hours` are over.'),
  cost: z
    .object({
      usd_per_verdict: usd.nullable().describe('Null when the judge has no verdicts and its model has no price.'),
      usd_per_verdict_from: z
        .enum(['verdicts', 'list_price'])
        .nullable()
        .describe(
          '`verdicts`: the mean of its recent ones. `list_price`: by the price of its model and a usual length.',
        ),
      judging_usd: usd.nullable().describe('Verdicts that are missing, on both arms.'),
      mirroring_usd: usd
        .nullable()
        .describe(
          'Answers of the shadow model in the same hours, and verdicts on them; 0 without a shadow. Null when the hours or the cost of its answers are not known yet.',
        ),
    })
    .default(unknownCost)
    .describe('Cost until the judge has scored what is missing. The traffic itself is not counted.'),
  assumed: z
    .object({ fail_rate: rate, tpr: rate, tnr: rate, power: rate })
    .describe('The plan is for equal arms with these rates, and proves that with the chance `power`.'),
})
export type GatePlan = z.output<typeof GatePlan>
