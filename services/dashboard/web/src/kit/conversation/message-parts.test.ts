import { partsOf, textOf } from './message-parts.ts'

it('shows texts, calls of tools, and names what it cannot show', () => {
  const content = [{ type: 'text', text: 'See this.' }, { type: 'image_url', image_url: { url: 'https://x' } }, null]
  expect(partsOf({ role: 'user', content })).toEqual([
    { kind: 'text', text: 'See this.' },
    { kind: 'other', name: 'image url' },
    { kind: 'other', name: 'unknown part' },
  ])
  const calls = [{ id: '1', function: { name: 'get_order', arguments: '{"id":7}' } }, {}]
  expect(partsOf({ role: 'assistant', content: null, tool_calls: calls })).toEqual([
    { kind: 'call', name: 'get_order', input: '{"id":7}' },
    { kind: 'call', name: 'unknown tool', input: '{}' },
  ])
})

it('takes the text of a message, and of a refusal', () => {
  expect(textOf({ role: 'assistant', content: 'Hello', refusal: 'No.' })).toBe('Hello\nNo.')
  expect(textOf({ role: 'assistant', content: 7 })).toBe('')
  const calls = [{ function: { name: 'find', arguments: '{"id":1}' } }]
  expect(textOf({ content: ['Look', { type: 'image_url' }], tool_calls: calls })).toBe(
    'Look\n[image url]\nfind({"id":1})',
  )
})
