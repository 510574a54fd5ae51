import { z } from 'zod'

const count = z.int().min(0)
const rate = z.number().min(0).max(1)

/** The judges of a panel about one candidate. */
export const EvalPanel = z.object({
  judges: z.array(
    z.object({
      model: z.string(),
      wins: count,
      ties: count,
      losses: count,
      unjudged: count,
      consistency_rate: rate.nullable(),
    }),
  ),
  agreements: z.array(
    z.object({
      judges: z.array(z.string()).length(2),
      samples: count.describe('Number of samples that both judged.'),
      agreement: rate.nullable().describe('Share of them with the same outcome.'),
      kappa: z
        .number()
        .nullable()
        .describe('Cohen’s kappa over win, tie and loss; null when both always say the same.'),
    }),
  ),
  disputed: count.describe('Number of samples about which judges differ; list them with `disputed=true`.'),
})
export type EvalPanel = z.infer<typeof EvalPanel>
