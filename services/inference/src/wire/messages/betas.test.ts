import type { Leniency } from '../leniency.ts'
import { readBetas } from './betas.ts'

const small = { contextWindow: 200_000 }

it('reads the features that a header lists', () => {
  expect(readBetas(' interleaved-thinking-2025-05-14,,claude-code-20250219 ', small)).toEqual([
    'interleaved-thinking-2025-05-14',
    'claude-code-20250219',
  ])
  expect(readBetas(undefined, small)).toEqual([])
})

const foreign = [
  'context-1m-2025-08-07',
  'files-api-2025-04-14',
  'fast-mode-2026-02-01',
  'message-threads-2026-08-12',
  'x',
]

it.each(foreign)('refuses %s without leniency, whatever it comes with', (name) => {
  expect(() => readBetas(`pdfs-2024-09-25, ${name}`, small)).toThrow(
    expect.objectContaining({ code: 'unsupported_parameter', param: 'anthropic-beta' }),
  )
})

it.each(foreign)('leaves out %s with leniency, and names it', (name) => {
  const leniency: Leniency = { dropsParameters: false, dropped: new Set() }
  expect(readBetas(`pdfs-2024-09-25, ${name}`, { ...small, leniency })).toEqual(['pdfs-2024-09-25'])
  expect([...leniency.dropped]).toEqual([`anthropic-beta:${name}`])
})

it('passes on the fast mode to a model that has a price for it', () => {
  expect(readBetas('fast-mode-2026-02-01', { ...small, isFast: true })).toEqual(['fast-mode-2026-02-01'])
})

it('passes on a long context to a model that has one', () => {
  expect(readBetas('context-1m-2025-08-07', { contextWindow: 1_000_000 })).toEqual(['context-1m-2025-08-07'])
})
