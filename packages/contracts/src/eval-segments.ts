import { z } from 'zod'
import { Interval } from './interval.ts'

const count = z.int().min(0)
const difference = z.number().min(-1).max(1)
/** The result of a candidate by segment of the prompts. */
export const EvalSegments = z.object({
  list: z
    .array(
      z.object({
        segment: z.string(),
        samples: count,
        wins: count,
        ties: count,
        losses: count,
        difference: difference.describe('Share of wins minus share of losses in this segment.'),
        ci: Interval.describe('95 % interval of this segment alone.'),
        shrunken: z.number().describe('Estimate that also uses the other segments, the more the fewer samples it has.'),
        shrunken_ci: Interval,
        is_worse: z
          .boolean()
          .describe('True when segments differ (p < 0.05) and this interval with regard to all lies below 0.'),
      }),
    )
    .describe('Segments with at least ten samples, the largest first, at most 20.'),
  other_samples: count.describe('Number of samples in smaller segments.'),
  heterogeneity_p: z
    .number()
    .describe('Probability of differences this large between segments that are all the same; Welch’s test.'),
  spread: z.number().min(0).describe('Estimated standard deviation of the true differences of segments.'),
})
export type EvalSegments = z.infer<typeof EvalSegments>
