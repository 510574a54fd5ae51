import { messagesPromptShape } from './messages-prompt-shape.ts'

const shapeOf = (...blocks: unknown[]) =>
  messagesPromptShape({ messages: [{ role: 'user', content: blocks }], system: null, tools: [] })
const text = { type: 'text', text: 'x' }
const image = (source: object) => ({ type: 'image', source })
const document = (source: object) => ({ type: 'document', source })
const bounded = { tools: 0, mediaParts: 0, mediaLength: 0, unbounded: false }

it('counts messages and blocks, including those of the system prompt', () => {
  const messages = [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: [text, { type: 'tool_use' }] },
    { role: 'user', content: [{ type: 'tool_result', content: [text, text] }] },
  ]
  expect(messagesPromptShape({ messages, system: [text], tools: [] })).toEqual({ ...bounded, items: 3 + 2 + 3 + 1 })
})

it.each<[string, unknown, object]>([
  ['a base64 image', image({ type: 'base64', data: 'abcd' }), { mediaParts: 1, mediaLength: 4 }],
  ['an image linked to', image({ type: 'url', url: 'https://a' }), { mediaParts: 1, mediaLength: 9 }],
  ['an uploaded image', image({ type: 'file', file_id: 'f' }), { mediaParts: 1, unbounded: true }],
  ['an image of nothing', image({}), { mediaParts: 1, unbounded: true }],
  ['a base64 document', document({ type: 'base64', data: 'abcd' }), { mediaParts: 1, mediaLength: 4, unbounded: true }],
  ['a document linked to', document({ type: 'url', url: 'u' }), { mediaParts: 1, mediaLength: 1, unbounded: true }],
  ['an uploaded document', document({ type: 'file', file_id: 'f' }), { mediaParts: 1, unbounded: true }],
  ['a document of text', document({ type: 'text', data: 'x' }), {}],
  ['a document of a string', document({ type: 'content', content: 'x' }), {}],
  ['a block we do not know', { type: 'container_upload' }, { unbounded: true }],
  ['what is no block', 7, { unbounded: true }],
  ['thinking', { type: 'thinking', thinking: 'x', signature: '' }, {}],
  ['thinking that is summed up', { type: 'thinking', thinking: '', signature: 'abcd' }, { soundLength: 4 }],
  ['thinking that is hidden', { type: 'redacted_thinking', data: 'abc' }, { soundLength: 3 }],
])('reads %s', (_what, block, expected) => {
  expect(shapeOf(block)).toEqual({ ...bounded, items: 2, ...expected })
})

it('finds media in tool results, search results and documents of blocks', () => {
  const png = image({ type: 'base64', data: 'abcd' })
  const blocks = [
    { type: 'tool_result', content: [text, png] },
    document({ type: 'content', content: [png] }),
    { type: 'search_result', content: [png] },
  ]
  expect(shapeOf(...blocks)).toEqual({ ...bounded, items: 8, mediaParts: 3, mediaLength: 12 })
})

it.each<[string, object, number, boolean]>([
  ['a tool of the caller', { name: 'now' }, 1, false],
  ['one that says so', { type: 'custom', name: 'now' }, 1, false],
  ['one of Anthropic`s, by the instructions it brings', { type: 'bash_20250124' }, 32, false],
  ['one we do not know', { type: 'browser_toolset_20260801' }, 32, true],
])('counts %s', (_what, tool, tools, unbounded) => {
  const shape = messagesPromptShape({ messages: [], system: 'x', tools: [tool] })
  expect(shape).toEqual({ ...bounded, items: 0, tools, unbounded })
})
