import fc from 'fast-check'
import { collectTexts, countTokenIds } from './collect-texts.ts'

const base64 = 'iVBORw0KGgo'

describe('collectTexts', () => {
  it('finds the texts that a chat model reads', () => {
    const body = {
      model: 'acme/fast',
      user: 'u1',
      metadata: { note: 'not read' },
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          name: 'ann',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}`, detail: 'low' } },
            { type: 'input_audio', input_audio: { data: base64, format: 'wav' } },
            { type: 'file', file: { file_data: base64, filename: 'a.pdf' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"q":"tea"}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Hot.' },
      ],
      tools: [{ type: 'function', function: { name: 'look' } }],
      response_format: null,
    }
    expect(collectTexts(body)).toEqual([
      'Be brief.',
      'ann',
      'What is this?',
      'a.pdf',
      'look',
      '{"q":"tea"}',
      'Hot.',
      '[{"type":"function","function":{"name":"look"}}]',
    ])
  })

  it('finds the texts of a Messages request', () => {
    const body = {
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: [{ type: 'document', source: { type: 'base64', data: base64 } }] },
        { role: 'user', content: [{ type: 'document', source: { type: 'text', data: 'A page.' } }] },
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: base64 }] },
        { role: 'assistant', content: [{ type: 'redacted_thinking', data: base64 }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look', input: { type: 'tea', url: 'u' } }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'Hot.' }] }],
        },
      ],
    }
    expect(collectTexts(body)).toEqual(['Be brief.', 'A page.', 'Hm.', 'look', '{"type":"tea","url":"u"}', 'Hot.'])
  })

  it('finds the texts of a Responses request', () => {
    const body = {
      instructions: 'Be brief.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Hi' },
            { type: 'input_image', image_url: 'https://a.b' },
          ],
        },
        { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'Hot.' },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: base64 },
      ],
      text: { format: { type: 'text' } },
    }
    const texts = ['Be brief.', 'Hi', 'look', '{}', 'Hot.', 'Hm.', '{"format":{"type":"text"}}']
    expect(collectTexts(body)).toEqual(texts)
  })

  it('finds queries and the ranked fields of documents', () => {
    expect(collectTexts({ query: 'tea', documents: ['a', { text: 'b', url: 'u' }] })).toEqual(['tea', 'a', 'b'])
    const documents = [{ title: 'a', year: 1908, text: 'b' }]
    expect(collectTexts({ query: 'tea', documents, rank_fields: ['title', 'year', 'gone'] })).toEqual([
      'tea',
      'a',
      '1908',
    ])
  })

  it('finds the texts of an embedding, or counts its token ids', () => {
    const both = (input: unknown) => [collectTexts({ input }), countTokenIds({ input })]
    expect(both('Hi')).toEqual([['Hi'], 0])
    expect(both(['a', '', 'b'])).toEqual([['a', 'b'], 0])
    expect(both([1, 2, 3])).toEqual([[], 3])
    expect(both([[1, 2], [3]])).toEqual([[], 3])
  })

  it('accepts any body, and never finds more text than the body has', () => {
    const keys = fc.constantFrom('messages', 'input', 'content', 'tools', 'documents', 'text', 'data', 'type')
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue()), (body) => {
        expect(collectTexts(body).join('').length).toBeLessThanOrEqual(JSON.stringify(body).length)
      }),
    )
  })
})
