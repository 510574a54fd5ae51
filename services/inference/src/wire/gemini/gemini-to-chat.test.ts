import { geminiToChat } from './gemini-to-chat.ts'

const named = { model: 'acme/fast', stream: false }
const chat = (body: object) => geminiToChat(body as Record<string, unknown>, named).body
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]

describe('geminiToChat', () => {
  it('has the smallest request, and asks a stream for its usage', () => {
    expect(chat({ contents })).toEqual({ model: 'acme/fast', messages: [{ role: 'user', content: 'Hi' }] })
    expect(geminiToChat({ contents }, { ...named, stream: true }).body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('reads instructions and settings in both spellings', () => {
    const generationConfig = {
      max_output_tokens: 9,
      topK: 3,
      stopSequences: ['x'],
      candidateCount: 2,
      thinkingConfig: { thinkingBudget: 0, includeThoughts: true },
      responseMimeType: 'application/json',
      responseSchema: {
        type: 'OBJECT',
        properties: { type: { type: 'STRING', nullable: true } },
        propertyOrdering: ['type'],
      },
    }
    const request = { contents, system_instruction: { parts: [{ text: 'Be' }, { text: 'brief' }] }, generationConfig }
    const { body, showsThoughts } = geminiToChat(request, named)
    expect(showsThoughts).toBe(true)
    expect(body).toMatchObject({ max_tokens: 9, top_k: 3, stop: ['x'], n: 2, reasoning_effort: 'none' })
    expect(body.messages).toEqual([
      { role: 'system', content: 'Be\nbrief' },
      { role: 'user', content: 'Hi' },
    ])
    const schema = { type: 'object', properties: { type: { type: ['string', 'null'] } } }
    expect(body.response_format).toEqual({ type: 'json_schema', json_schema: { name: 'response', schema } })
  })

  it('sends media as the parts that a chat has for them', () => {
    const parts = [
      { inlineData: { mimeType: 'image/png', data: 'AA' } },
      { inlineData: { mimeType: 'audio/mpeg', data: 'BB' } },
      { inlineData: { mimeType: 'application/pdf', data: 'CC' } },
      { fileData: { mimeType: 'image/png', fileUri: 'https://pictures.example/a.png' } },
    ]
    expect(chat({ contents: [{ parts }] }).messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
          { type: 'input_audio', input_audio: { data: 'BB', format: 'mp3' } },
          { type: 'file', file: { filename: 'file.pdf', file_data: 'data:application/pdf;base64,CC' } },
          { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } },
        ],
      },
    ])
  })

  it('pairs responses with calls that have no ids, in their order, and keeps signatures', () => {
    const call = (args: object, more: object = {}) => ({ functionCall: { name: 'f', args }, ...more })
    const response = (response: object) => ({ functionResponse: { name: 'f', response } })
    const history = [
      ...contents,
      {
        role: 'model',
        parts: [{ text: 'Hm.', thought: true }, call({ a: 1 }, { thoughtSignature: 'S' }), call({ a: 2 })],
      },
      { role: 'user', parts: [response({ output: 'one' }), response({ error: 'two' }), { text: 'Go on' }] },
    ]
    const [, said, ...results] = chat({ contents: history }).messages as Record<string, unknown>[]
    expect(said).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call_0',
          type: 'function',
          function: { name: 'f', arguments: '{"a":1}' },
          extra_content: { google: { thought_signature: 'S' } },
        },
        { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":2}' } },
      ],
    })
    expect(results).toEqual([
      { role: 'tool', tool_call_id: 'call_0', content: 'one' },
      { role: 'tool', tool_call_id: 'call_1', content: '{"error":"two"}' },
      { role: 'user', content: 'Go on' },
    ])
  })

  it('offers the functions that may be called', () => {
    const tools = [{ functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT' } }, { name: 'g' }] }]
    const functionCallingConfig = { mode: 'ANY', allowedFunctionNames: ['f'] }
    expect(chat({ contents, tools, toolConfig: { functionCallingConfig } })).toMatchObject({
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      tool_choice: 'required',
    })
  })

  it.each<[object, string]>([
    [{}, 'contents'],
    [{ contents: [] }, 'contents'],
    [{ contents: [{ role: 'system', parts: [] }] }, 'contents.0.role'],
    [{ contents: [{ parts: [{ videoMetadata: {} }] }] }, 'contents.0.parts.0.videoMetadata'],
    [{ contents: [{ parts: [{ functionResponse: { name: 'f' } }] }] }, 'contents.0.parts.0.functionResponse'],
    [{ contents: [{ parts: [{ fileData: { fileUri: 'gs://bucket/a' } }] }] }, 'contents.0.parts.0.fileData.fileUri'],
    [{ contents, cachedContent: 'c' }, 'cachedContent'],
    [{ contents, tools: [{ googleSearch: {} }] }, 'tools.0.googleSearch'],
    [{ contents, generationConfig: { speechConfig: {} } }, 'generationConfig.speechConfig'],
    [{ contents, generationConfig: { responseModalities: ['IMAGE'] } }, 'generationConfig.responseModalities'],
    [{ contents, toolConfig: { functionCallingConfig: { mode: 'X' } } }, 'toolConfig.functionCallingConfig.mode'],
  ])('refuses %j and names it', (body, param) => {
    expect(() => chat(body)).toThrow(expect.objectContaining({ param }))
  })
})
