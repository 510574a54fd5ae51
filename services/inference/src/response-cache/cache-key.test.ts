import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { type CacheQuestion, cacheKey } from './cache-key.ts'

function keyOf(text: string, changes: Partial<CacheQuestion> = {}): string {
  const bytes = Buffer.from(text)
  const scan = scanJson(bytes, { maxDepth: 64, maxKeys: 1_000 })
  if (!scan.ok) throw new Error(scan.reason)
  const question = {
    workspaceId: 'w1',
    dialect: 'chat' as const,
    modelId: 'openai/gpt-4o',
    bytes,
    scan,
    isStrict: false,
  }
  return cacheKey({ ...question, ...changes })
}

const text = '{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}],"temperature":0,"seed":1,"stream":false}'

it('is a digest after the id of the workspace', () => {
  expect(keyOf(text)).toMatch(/^w1:[0-9a-f]{64}$/)
})

it.each([
  ['streamed', text.replace('false', 'true')],
  ['streamed with its usage', text.replace('false', 'true,"stream_options":{"include_usage":true}')],
  ['by another name of the model', text.replace('gpt-4o', 'my-alias')],
  ['with other models to fall back to', text.replace('"stream"', '"models":["x"],"stream"')],
  ['in another order', '{"seed":1,"temperature":0,"messages":[{"content":"Hi","role":"user"}],"model":"gpt-4o"}'],
])('is the same for the same request %s', (_, other) => {
  expect(keyOf(other)).toBe(keyOf(text))
})

it.each([
  ['parameter', text.replace('"temperature":0', '"temperature":1')],
  ['seed', text.replace('"seed":1', '"seed":2')],
  ['message', text.replace('Hi', 'Hi!')],
  ['tool', text.replace('"stream"', '"tools":[],"stream"')],
  ['user', text.replace('"stream"', '"user":"u","stream"')],
])('is different for a different %s', (_, other) => {
  expect(keyOf(other)).not.toBe(keyOf(text))
})

it.each([
  { workspaceId: 'w2' },
  { dialect: 'messages' as const },
  { modelId: 'openai/gpt-4o-mini' },
  { hints: { anthropicBeta: 'b' } },
  { isStrict: true },
])('is different for %j', (changes) => {
  expect(keyOf(text, changes)).not.toBe(keyOf(text))
})
