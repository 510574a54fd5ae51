import { z } from 'zod'

/** How much the held out examples of a split resemble its training examples. */
export const Leakage = z
  .object({
    share: z
      .number()
      .describe(
        'Share of the compared examples with a prompt that is at least 0.8 like one of training, 0 to 1. Every pair of prompts is compared, after examples were dropped as `leaked`.',
      ),
    share_ci: z
      .tuple([z.number(), z.number()])
      .nullable()
      .describe('95 % interval of the share of all held out examples; null when all were compared.'),
    compared: z
      .int()
      .describe('Number of held out examples that were compared: all, or a random sample of very large sets.'),
    nearest: z.number().describe('Likeness of the compared prompt that is nearest to training, 0 to 1.'),
  })
  .nullable()
  .describe(
    'How much the held out examples resemble training, without instructions, courtesies and long numbers; null when nothing is held out. Likeness is the share of runs of four characters that two prompts have in common.',
  )
