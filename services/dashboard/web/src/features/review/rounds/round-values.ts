import { OpenRound } from '@ratchet/contracts/review-rounds'
import { z } from 'zod'

/** The fields of the form of a new round. */
export const RoundValues = z.object({
  criterion_id: z.string().min(1, 'Choose a judge.'),
  challenger_id: z.string().nullable(),
  days: OpenRound.shape.days.unwrap(),
  tag: z.string(),
  segment: z.string(),
  /** With commas between them. */
  exclude_tags: z.string(),
  frame_rows: OpenRound.shape.frame_rows.unwrap(),
  double_percent: OpenRound.shape.double_percent.unwrap(),
  again_percent: OpenRound.shape.again_percent.unwrap(),
  known_percent: OpenRound.shape.known_percent.unwrap(),
  max_cost_usd: z.union([OpenRound.shape.max_cost_usd.unwrap().unwrap(), z.literal('')]),
})
export type RoundValues = z.infer<typeof RoundValues>

export const firstValues: RoundValues = {
  criterion_id: '',
  challenger_id: null,
  days: 30,
  tag: '',
  segment: '',
  exclude_tags: 'playground',
  frame_rows: 2_000,
  double_percent: 15,
  again_percent: 5,
  known_percent: 12,
  max_cost_usd: '',
}

/** The body of the endpoint. */
export function roundBodyOf(values: RoundValues): z.input<typeof OpenRound> {
  const { tag, segment, exclude_tags: excluded, max_cost_usd: cap, ...fields } = values
  const tags = excluded.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]))
  return {
    ...fields,
    filters: {
      ...(tag === '' ? {} : { tag }),
      ...(segment === '' ? {} : { segment }),
      ...(tags.length === 0 ? {} : { exclude_tags: tags }),
    },
    ...(cap === '' ? {} : { max_cost_usd: cap }),
  }
}
