import { simulatedCatalog, simulatedProviders } from './simulated-catalog.ts'
import { simulatedModel } from './simulated-model.ts'

const chatNames = [
  ...['large', 'medium', 'small', 'quality-0', 'quality-0.85', 'quality-1', 'quality-1.0', 'echo', 'tools'],
  ...['judge', 'judge-0.9-0.8', 'judge-1-0', 'judge-first', 'judge-first-0.3', 'judge-broken', 'judge-gullible'],
  ...['fail-503', 'fail-429-2', 'slow-200', 'pace-5', 'cut-100', 'stall-0', 'cached-64', 'reasoning-32', 'late-32'],
  ...['hangup', 'malformed', 'errorframe', 'errorfirst', 'no-usage', 'zero-usage', 'early-usage', 'recall'],
]
const examples = [
  ...simulatedProviders.flatMap((provider) => chatNames.map((name) => `${provider}/${name}`)),
  ...['sim-anthropic/budget-tools', 'sim-google/gemini-3-tools', 'sim/embed', 'sim/rerank', 'sim-google/embed'],
  ...['sim/moderate', 'sim/image', 'sim/image-flat', 'sim/speech', 'sim/transcribe'],
]

const outsiders = [
  ...['sim/none', 'sim/quality-1.5', 'sim/quality-2', 'sim/quality-', 'sim/fail-200', 'sim/fail-503-0', 'sim/cut--1'],
  ...[
    'sim-anthropic/embed',
    'sim/budget-tools',
    'sim/gemini-3-tools',
    'sim-bedrock/rerank',
    'sim-google/rerank',
    'sim-other/large',
    'sim-anthropic/sim/large',
  ],
  ...['large', 'sim/', 'sim/constructor', 'sim/large ', 'openai/gpt-4o'],
]

const entriesOf = (id: string) =>
  simulatedCatalog.filter((entry) =>
    entry.pattern === undefined ? entry.id === id : new RegExp(entry.pattern).test(id),
  )

describe('simulatedCatalog', () => {
  it.each(examples)('has exactly one entry for %s, which the provider serves', (id) => {
    expect(entriesOf(id)).toHaveLength(1)
    expect(simulatedModel(id)?.id).toBe(id)
  })

  it.each(outsiders)('has no entry for %j, which the provider refuses', (id) => {
    expect(entriesOf(id)).toHaveLength(0)
    expect(simulatedModel(id)).toBeNull()
  })

  it('has no entry without an example', () => {
    expect(simulatedCatalog.filter((entry) => !examples.some((id) => entriesOf(id).includes(entry)))).toEqual([])
  })

  it('prices everything in decimal strings', () => {
    for (const entry of simulatedCatalog) {
      const prices = [
        entry.input_per_mtok,
        entry.cached_input_per_mtok,
        entry.output_per_mtok,
        entry.per_request ?? '0',
        entry.per_image ?? '0',
        entry.per_character ?? '0',
        entry.per_audio_second ?? '0',
      ]
      expect(prices.every((price) => /^\d+(\.\d+)?$/.test(price))).toBe(true)
      expect(prices.some((price) => Number(price) > 0)).toBe(true)
    }
  })
})
