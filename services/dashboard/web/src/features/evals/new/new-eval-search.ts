import { z } from 'zod'

const word = z.string().max(200)

/** What a link to a new eval can fill in; the filters of the prompts stay in the address. */
export const NewEvalSearch = z.object({
  source: z.enum(['logs', 'dataset', 'runs']),
  tag: word,
  segment: word,
  model: word,
  dataset_id: word,
  criterion_id: word,
  baseline: word,
  candidate: word,
})

/** The filters of prompts from the log and of runs. */
export const PromptFilters = NewEvalSearch.pick({ tag: true, segment: true, model: true })
