import { z } from 'zod'

const sampleShows = ['all', 'win', 'loss', 'tie', 'inconsistent', 'error'] as const
export type SampleShow = (typeof sampleShows)[number]

/** The state of the page of samples. */
export const SampleSearch = z.object({
  candidate: z.string(),
  show: z.enum(sampleShows),
  /** `1`: names, order and verdicts are hidden. */
  blind: z.literal('1'),
})
