import type { ProviderRequest } from '../wire/provider.ts'
import { conversationKey } from './conversation-key.ts'

const long = 'You know the returns policy of the shop. '.repeat(120)
const key = (dialect: ProviderRequest['dialect'], body: Record<string, unknown>) =>
  conversationKey({ dialect, body, bytes: Buffer.from(JSON.stringify(body)) } as unknown as ProviderRequest)

const system = { role: 'system', content: long }
const first = { role: 'user', content: 'My kettle leaks.' }
const more = [
  { role: 'assistant', content: 'Since when?' },
  { role: 'user', content: 'Monday.' },
]

describe('conversationKey', () => {
  it.each([
    ['chat', { messages: [system, first] }, { messages: [system, first, ...more], temperature: 1 }],
    ['messages', { system: long, messages: [first] }, { system: long, messages: [first, ...more], max_tokens: 9 }],
    ['responses', { instructions: long, input: [first] }, { instructions: long, input: [first, ...more] }],
  ] as const)('is the same for the next turn in %s', (dialect, before, after) => {
    expect(key(dialect, before)).not.toBeNull()
    expect(key(dialect, after)).toBe(key(dialect, before))
  })

  it('differs for another first message, and for other instructions', () => {
    const keys = [
      key('chat', { messages: [system, first] }),
      key('chat', { messages: [system, { ...first, content: 'My lamp flickers.' }] }),
      key('chat', { messages: [{ ...system, content: `${long}!` }, first] }),
      key('responses', { instructions: long, input: 'My kettle leaks.' }),
    ]
    expect(new Set(keys).size).toBe(4)
  })

  it('differs for another key of the client, who tells conversations with the same beginning apart', () => {
    const named = (prompt_cache_key?: string) => key('chat', { prompt_cache_key, messages: [system, first] })
    expect(named('case-7')).toBe(named('case-7'))
    expect(new Set([named('case-7'), named('case-8'), named()]).size).toBe(3)
  })

  it('is null for a prompt that no provider caches, and for one without messages', () => {
    expect(key('chat', { messages: [first] })).toBeNull()
    expect(key('embeddings', { input: long.repeat(2) })).toBeNull()
    expect(key('chat', { messages: [system] })).toBeNull()
  })
})
