import type { FineTuningEvent } from '@ratchet/contracts/fine-tuning-progress'
import { eventLines } from './event-lines.ts'

const event = (id: string, type: FineTuningEvent['type']): FineTuningEvent => ({
  object: 'fine_tuning.job.event',
  id,
  created_at: 1_795_000_000,
  level: 'info',
  type,
  message: id,
  data: null,
})

it('shows the oldest first, and figures only when asked', () => {
  const newestFirst = [event('c', 'message'), event('b', 'metrics'), event('a', 'message')]
  expect(eventLines(newestFirst, false).map(({ id }) => id)).toEqual(['a', 'c'])
  expect(eventLines(newestFirst, true).map(({ id }) => id)).toEqual(['a', 'b', 'c'])
})
