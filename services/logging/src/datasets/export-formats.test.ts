import { csvLine, csvRow, jsonlFormats } from './export-formats.ts'

const call = { id: 'c', type: 'function', function: { name: 'search', arguments: '{"q":"lamp"}' } }
const messages = [
  { role: 'developer', content: 'Be brief.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'find' },
      { type: 'image_url', image_url: { url: 'data:' } },
    ],
  },
  { role: 'assistant', content: null, tool_calls: [call], weight: 1 },
  { role: 'tool', tool_call_id: 'c', content: 'found' },
  { role: 'assistant', content: 'There.', tool_calls: [call, call], weight: 1 },
]
const tools = [{ type: 'function', function: { name: 'search', parameters: {} } }]
const example = { index: 3, text: JSON.stringify({ messages, tools }), sourceLogId: 'log_1' }

it('writes evals with the prompt without weights, and the answer as text with its tool calls', () => {
  const { item } = JSON.parse(jsonlFormats.openai_evals(example))
  expect(item.input).toEqual(messages.slice(0, -1).map(({ weight: _, ...message }) => message))
  expect(item.ideal).toBe('There.\n[tool call] search({"q":"lamp"})\n[tool call] search({"q":"lamp"})')
  expect(item.tools).toEqual(tools)
})

it('writes ShareGPT with separate turns for calls and observations', () => {
  const called = { name: 'search', arguments: { q: 'lamp' } }
  const { conversations, tools: named } = JSON.parse(jsonlFormats.sharegpt(example))
  expect(conversations).toEqual([
    { from: 'system', value: 'Be brief.' },
    { from: 'human', value: 'find' },
    { from: 'function_call', value: JSON.stringify(called) },
    { from: 'observation', value: 'found' },
    { from: 'gpt', value: 'There.' },
    { from: 'function_call', value: JSON.stringify([called, called]) },
  ])
  expect(JSON.parse(named)).toEqual([tools[0]?.function])
})

it('writes the parts of a conversation into columns', () => {
  expect(csvRow(example)).toEqual([
    3,
    'Be brief.',
    'user: find\n\nassistant: [tool call] search({"q":"lamp"})\n\ntool: found',
    'There.\n[tool call] search({"q":"lamp"})\n[tool call] search({"q":"lamp"})',
    JSON.stringify(messages),
    JSON.stringify(tools),
    'log_1',
  ])
  const plain = {
    messages: [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'a' },
    ],
  }
  expect(csvRow({ index: 0, text: JSON.stringify(plain), sourceLogId: null })).toEqual([
    0,
    '',
    'q',
    'a',
    JSON.stringify(plain.messages),
    '',
    '',
  ])
})

it.each(['=1+1', '\n=1+1', '\r\n=1+1', '\t@x', '＝1'])(
  'writes %j as a text that no program for tables runs',
  (answer) => {
    const plain = {
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: answer, weight: 1 },
      ],
    }
    const line = csvLine({ index: 0, text: JSON.stringify(plain), sourceLogId: null })
    expect(line).toContain(`'${answer}`)
  },
)
