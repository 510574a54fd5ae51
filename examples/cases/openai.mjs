import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import { access, onEachWire, prompt, runCases } from './run-cases.mjs'

const client = new OpenAI({ ...access, maxRetries: 0 })
const messages = [{ role: 'user', content: prompt }]
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tools = [{ type: 'function', function: { name: 'weather', parameters } }]
const City = z.object({ city: z.string() })

await runCases({
  ...onEachWire('chat', async (wire) => {
    const { choices } = await client.chat.completions.create({ model: `${wire}/small`, messages })
    return choices[0].message.content.length > 0
  }),
  ...onEachWire('stream', async (wire) => {
    const answer = await client.chat.completions.stream({ model: `${wire}/small`, messages }).finalChatCompletion()
    return answer.choices[0].finish_reason === 'stop'
  }),
  ...onEachWire('tools', async (wire) => {
    const { choices } = await client.chat.completions.create({ model: `${wire}/tools`, messages, tools })
    return choices[0].message.tool_calls.length === 1
  }),
  ...onEachWire('runTools', async (wire) => {
    const weather = { name: 'weather', parameters, parse: JSON.parse, function: () => 'Rain.', description: 'Weather.' }
    const runner = client.chat.completions.runTools({
      model: `${wire}/tools`,
      messages,
      tools: [{ type: 'function', function: weather }],
    })
    return (await runner.finalContent()).length > 0
  }),
  ...onEachWire('parse', async (wire) => {
    const format = { response_format: zodResponseFormat(City, 'city') }
    const { choices } = await client.chat.completions.parse({ model: `${wire}/small`, messages, ...format })
    return typeof choices[0].message.parsed.city === 'string'
  }),
  ...onEachWire('json_object', async (wire) => {
    const format = { response_format: { type: 'json_object' } }
    await client.chat.completions.create({ model: `${wire}/small`, messages, ...format })
  }),
  ...onEachWire('seed, name, store', async (wire) => {
    const named = [{ role: 'user', name: 'bob', content: prompt }]
    await client.chat.completions.create({ model: `${wire}/small`, messages: named, seed: 1, store: true })
  }),
  ...onEachWire('responses', async (wire) => {
    const { output_text: text } = await client.responses.create({ model: `${wire}/small`, input: prompt })
    return text.length > 0
  }),
  ...onEachWire('responses stream', async (wire) => {
    const stream = client.responses.stream({ model: `${wire}/small`, input: prompt })
    return (await stream.finalResponse()).status === 'completed'
  }),
  ...onEachWire('responses with web_search', async (wire) => {
    await client.responses.create({ model: `${wire}/small`, input: prompt, tools: [{ type: 'web_search' }] })
  }),
  embeddings: async () => {
    const { data } = await client.embeddings.create({ model: 'sim/embed', input: ['a', 'b'] })
    return data.length === 2
  },
  'models.list': async () => (await client.models.list()).data.length > 0,
  'models.retrieve': async () => (await client.models.retrieve('sim/small')).id === 'sim/small',
  'files.list': async () => {
    const file = new File(['{"messages": []}\n'], 'a.jsonl')
    await client.files.create({ purpose: 'fine-tune', file })
    return (await client.files.list()).data.length > 0
  },
  batches: async () => {
    const body = { model: 'sim/small', messages }
    const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body }
    const file = await client.files.create({ purpose: 'batch', file: new File([JSON.stringify(line)], 'a.jsonl') })
    const order = { input_file_id: file.id, endpoint: line.url, completion_window: '24h' }
    let batch = await client.batches.create(order)
    while (batch.status !== 'completed' && batch.status !== 'failed') {
      await new Promise((resolve) => setTimeout(resolve, 200))
      batch = await client.batches.retrieve(batch.id)
    }
    const answer = JSON.parse(await (await client.files.content(batch.output_file_id)).text())
    return answer.custom_id === 'a' && answer.response.status_code === 200
  },
  'input_tokens.count': async () =>
    (await client.responses.inputTokens.count({ model: 'sim/small', input: prompt })).input_tokens > 0,
  'completions (legacy)': async () => {
    await client.completions.create({ model: 'sim/small', prompt })
  },
  'error classes': async () => {
    const error = await client.chat.completions.create({ model: 'nothing', messages }).catch((thrown) => thrown)
    return error instanceof OpenAI.NotFoundError
  },
})
