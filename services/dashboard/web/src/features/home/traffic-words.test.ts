import { failureLine } from './traffic-words.ts'

it('names the most frequent causes, and the sum is all failed requests', () => {
  const causes = [
    { group: 'no_credit', failed: 2 },
    { group: 'provider_down', failed: 1_200 },
    { group: null, failed: 3 },
    { group: 'model_unknown', failed: 1 },
  ]
  expect(failureLine(causes, 1_206)).toBe(
    'Failed by cause: provider down 1,200, not known 3, no credit 2, other causes 1.',
  )
  expect(failureLine([{ group: 'ours', failed: 1 }], 1)).toBe('Failed by cause: failures of the gateway 1.')
})
