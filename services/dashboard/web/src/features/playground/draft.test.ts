import { type Draft, readDraft } from './draft.ts'

const draft: Draft = {
  system: '',
  turns: [{ id: '1', role: 'user', text: 'Hello' }],
  temperature: '',
  maxTokens: '',
  tools: '',
  others: '',
}

it('sends only what was typed', () => {
  expect(readDraft(draft)).toEqual({ kind: 'ready', body: { messages: [{ role: 'user', content: 'Hello' }] } })
  const full = {
    ...draft,
    system: 'Be kind.',
    temperature: '0.2',
    maxTokens: '50',
    tools: '[{"type":"function"}]',
    others: '{"top_p":0.9,"messages":[]}',
  }
  expect(readDraft(full)).toEqual({
    kind: 'ready',
    body: {
      top_p: 0.9,
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hello' },
      ],
      temperature: 0.2,
      max_tokens: 50,
      tools: [{ type: 'function' }],
    },
  })
})

it.each([
  [{ tools: '{}' }, 'tools'],
  [{ tools: '[' }, 'tools'],
  [{ others: '[]' }, 'others'],
  [{ others: '7' }, 'others'],
  [{ turns: [{ id: '1', role: 'user' as const, text: ' ' }] }, 'turns'],
])('names the field that is wrong: %p', (change, field) => {
  expect(readDraft({ ...draft, ...change })).toMatchObject({ kind: 'wrong', field })
})
