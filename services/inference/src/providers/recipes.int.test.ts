import { readFileSync } from 'node:fs'
import path from 'node:path'
import { chunks, completion, frame, surplusIn } from './host-answers.fixture.ts'
import { type Host, type HostAnswer, type HostRequest, recipeIds, startRecipe } from './scripted-host.fixture.ts'

interface Expected {
  readonly path: string
  /** The header with the key, as the provider takes it; null when it takes none. */
  readonly key: readonly [string, string] | null
  /** Nano-dollars of 100 tokens of prompt and 20 of output, rounded up to a micro-dollar. */
  readonly costNano: bigint
  /** Members of bodies that the provider refuses. */
  readonly refuses?: readonly string[]
  /** Members of messages that it refuses. */
  readonly refusesInMessages?: readonly string[]
  /** The member in which it requires the reasoning of an earlier answer with a call. */
  readonly requires?: string
  readonly whole?: HostAnswer
  readonly stream?: HostAnswer
  readonly streamPath?: string
}

const bearer = ['authorization', 'Bearer the-key'] as const
const labels = ['store', 'metadata']
const foreign = ['reasoning_content', 'reasoning_details', 'extra_content']
const gemini = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Blue.' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
}
const filtered = { choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] }
const thought = { before: [{ reasoning_content: 'Hm.' }] }

const recipes: Readonly<Record<string, Expected>> = {
  'azure-openai': {
    path: '/openai/v1/chat/completions',
    key: ['api-key', 'the-key'],
    costNano: 65_000n,
    refusesInMessages: [...foreign, 'reasoning'],
    whole: completion({}, { prompt_filter_results: filtered.prompt_filter_results }),
    stream: chunks({ first: frame({ id: '', model: '', object: '', created: 0, ...filtered }) }),
  },
  vertex: {
    path: '/v1/publishers/google/models/gemini-3-flash:generateContent',
    streamPath: '/v1/publishers/google/models/gemini-3-flash:streamGenerateContent?alt=sse',
    key: ['x-goog-api-key', 'the-key'],
    costNano: 80_000n,
    whole: { json: gemini },
    stream: { frames: frame(gemini) },
  },
  xai: { path: '/v1/chat/completions', key: bearer, costNano: 320_000n, refuses: [], stream: chunks(thought) },
  cerebras: {
    path: '/v1/chat/completions',
    key: bearer,
    costNano: 50_000n,
    refuses: labels,
    refusesInMessages: foreign,
    requires: 'reasoning',
    whole: completion({ reasoning: 'Hm.' }),
    stream: chunks({ before: [{ reasoning: 'Hm.' }], usageIn: 'last' }),
  },
  perplexity: {
    path: '/chat/completions',
    key: bearer,
    costNano: 5_120_000n,
    refuses: [...labels, 'seed', 'tools'],
    refusesInMessages: [...foreign, 'reasoning'],
    whole: completion({}, { citations: ['https://a.test'], search_results: [{ title: 'A', url: 'https://a.test' }] }),
    stream: chunks({ usageIn: 'every' }),
  },
  nvidia: { path: '/v1/chat/completions', key: bearer, costNano: 24_000n, refuses: labels },
  sambanova: { path: '/v1/chat/completions', key: bearer, costNano: 84_000n, refuses: labels },
  moonshot: {
    path: '/v1/chat/completions',
    key: bearer,
    costNano: 600_000n,
    requires: 'reasoning_content',
    whole: completion({ reasoning_content: 'Hm.' }),
    stream: chunks({ ...thought, usageIn: 'choice' }),
  },
  zai: {
    path: '/api/paas/v4/chat/completions',
    key: bearer,
    costNano: 228_000n,
    requires: 'reasoning_content',
    whole: completion({ reasoning_content: 'Hm.' }, { request_id: 'r' }),
    stream: chunks({ ...thought, usageIn: 'last' }),
  },
  minimax: {
    path: '/v1/chat/completions',
    key: bearer,
    costNano: 54_000n,
    requires: 'reasoning_content',
    whole: completion({}, { base_resp: { status_code: 0, status_msg: '' } }),
    stream: chunks({ usageIn: 'last' }),
  },
  nebius: { path: '/v1/chat/completions', key: bearer, costNano: 32_000n },
  huggingface: { path: '/v1/chat/completions', key: bearer, costNano: 160_000n },
  cohere: { path: '/compatibility/v1/chat/completions', key: bearer, costNano: 450_000n, refuses: labels },
  ollama: {
    path: '/v1/chat/completions',
    key: null,
    costNano: 0n,
    requires: 'reasoning',
    whole: completion({ reasoning: 'Hm.' }, { system_fingerprint: 'fp_ollama' }),
    stream: chunks({ before: [{ reasoning: 'Hm.' }] }),
  },
  lmstudio: { path: '/v1/chat/completions', key: null, costNano: 0n },
  vllm: {
    path: '/v1/chat/completions',
    key: null,
    costNano: 0n,
    whole: completion({ reasoning_content: null, tool_calls: [] }, { prompt_logprobs: null }),
    stream: chunks({ before: [{ reasoning_content: 'Hm.' }] }),
  },
}

/** A server that refuses what the provider refuses, with the errors that most of them have. */
function hostOf(expected: Expected): Host {
  return (request) => refusalOf(expected, request) ?? answerOf(expected, request)
}

function refusalOf({ key, path, streamPath, ...expected }: Expected, request: HostRequest): HostAnswer | null {
  const error = (status: number, message: string) => ({ status, json: { error: { message, type: 'invalid' } } })
  if (![path, streamPath].includes(request.path)) return error(404, `no ${request.path}`)
  const keys = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'].filter((name) => request.headers[name])
  if (keys.join() !== (key?.[0] ?? '') || (key !== null && request.headers[key[0]] !== key[1])) {
    return error(401, 'Incorrect API key.')
  }
  const surplus = surplusIn(request.body, expected.refuses ?? [], expected.refusesInMessages ?? [])
  if (surplus !== null) return error(400, `property '${surplus}' is unsupported`)
  const called = (request.body.messages ?? []).filter((message: { tool_calls?: unknown }) => message.tool_calls)
  const { requires } = expected
  const lacksReasoning = requires !== undefined && called.some((message: Record<string, unknown>) => !message[requires])
  return lacksReasoning ? error(400, `The ${requires} must be passed back to the API.`) : null
}

function answerOf({ whole = completion(), stream = chunks() }: Expected, { path, body }: HostRequest): HostAnswer {
  return body.stream === true || path.includes('stream') ? stream : whole
}

/** Providers of the catalog that need nothing but their key, and whose prices it has. */
const withoutRecipe = [
  ...['alibaba', 'anthropic', 'bedrock', 'deepinfra', 'deepseek', 'fireworks', 'google', 'groq', 'mistral', 'openai'],
  ...['openrouter', 'together'],
]
const { providers }: { providers: readonly { readonly id: string }[] } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../catalog/providers.json'), 'utf8'),
)

it('is written for every provider that needs one, and for nothing else', () => {
  expect([...recipeIds].sort()).toEqual(Object.keys(recipes).sort())
  expect([...withoutRecipe, ...recipeIds].sort()).toEqual(providers.map(({ id }) => id).sort())
})

const hi = [{ role: 'user', content: 'Why is the sky blue?' }]
const client = { seed: 1, store: true, metadata: { a: 'b' }, user: 'u1' }
const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }

describe.each(Object.entries(recipes))('the recipe of %s', (id, expected) => {
  let started: Awaited<ReturnType<typeof startRecipe>>
  beforeAll(async () => {
    started = await startRecipe(id, hostOf(expected))
  })
  afterAll(() => started.stop())

  it('answers, with the labels of a client and the reasoning of earlier answers', async () => {
    const before = started.spentNano()
    const earlier = { role: 'assistant', content: 'Well.', reasoning_content: 'Hm.' }
    const answer = await started.send({ model: started.model, messages: [...hi, earlier, ...hi], ...client })
    expect([answer.status, answer.body.error ?? null]).toEqual([200, null])
    expect(answer.body.choices[0].message.content).toBe('Blue.')
    expect(answer.body.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20 })
    expect(started.spentNano() - before).toBe(expected.costNano)
  })

  it('streams, with the usage at the end', async () => {
    const before = started.spentNano()
    const body = { model: started.model, messages: hi, stream: true, stream_options: { include_usage: true } }
    const answer = await started.send(body)
    expect(answer.status).toBe(200)
    const frames = answer.text
      .split('\n\n')
      .filter((text) => text.startsWith('data: {'))
      .map((text) => JSON.parse(text.slice('data: '.length)))
    const said = frames.map((each) => each.choices[0]?.delta.content ?? '').join('')
    expect([said, answer.text.trimEnd().endsWith('data: [DONE]')]).toEqual(['Blue.', true])
    expect(frames.at(-1).usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20 })
    expect(started.spentNano() - before).toBe(expected.costNano)
  })

  it.each(['messages', 'responses', 'chat'])(
    'goes on after the call of a tool from %s with the reasoning before it, or refuses tools by name',
    async (surface) => {
      const answer = await secondStep(surface)
      const hasTools = expected.refuses?.includes('tools') !== true
      const result = [answer.status, answer.body.error?.param ?? null]
      expect(result).toEqual(hasTools ? [200, null] : [400, 'tools'])
    },
  )

  function secondStep(surface: string) {
    const { model, send } = started
    if (surface === 'messages') {
      const content = [
        { type: 'thinking', thinking: 'Hm.', signature: '' },
        { type: 'tool_use', id: 'call_1', name: 'look', input: {} },
      ]
      const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'sunny' }] }
      const tools = [{ name: 'look', input_schema: { type: 'object', properties: {} } }]
      const messages = [...hi, { role: 'assistant', content }, result]
      return send({ model, max_tokens: 64, messages, tools }, {}, '/v1/messages')
    }
    if (surface === 'responses') {
      const input = [
        ...hi,
        { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
      ]
      const tools = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }]
      return send({ model, input, tools, store: false }, {}, '/v1/responses')
    }
    const asked = { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [call] }
    const messages = [...hi, asked, { role: 'tool', tool_call_id: 'call_1', content: 'sunny' }]
    return send({ model, messages, tools: [tool] })
  }
})

it.each([
  ['/v2', '', '/v2'],
  ['/proxy/cohere/v2', '/proxy/cohere', '/proxy/cohere/v2'],
  ['/proxy/cohere', '/proxy/cohere', '/proxy/cohere'],
  ['/', '', ''],
])('calls Cohere behind another address with the path %s', async (basePath, before, rerankBase) => {
  const results = [{ index: 0, relevance_score: 0.5 }]
  const reranked = { id: 'r', results, meta: { billed_units: { search_units: 1 } } }
  const started = await startRecipe(
    'cohere',
    ({ path: called }) => (called.endsWith('/rerank') ? { json: reranked } : completion()),
    basePath,
  )
  try {
    const chat = await started.send({ model: 'cohere/command-a-03-2025', messages: hi })
    const ranking = { model: 'cohere/rerank-v3.5', query: 'Why?', documents: ['Because.'] }
    await started.send(ranking, {}, '/v1/rerank')
    expect([chat.status, started.sent.map((request) => request.path)]).toEqual([
      200,
      [`${before}/compatibility/v1/chat/completions`, `${rerankBase}/rerank`],
    ])
  } finally {
    await started.stop()
  }
})

it('is off without the address that it needs', async () => {
  const started = await startRecipe('xai', () => completion())
  const answers = await Promise.all(
    ['azure-openai/gpt-5-mini', 'ollama/qwen3'].map((model) => started.send({ model, messages: hi })),
  )
  expect(answers.map(({ body }) => body.error.code)).toEqual(['unknown_provider', 'unknown_provider'])
  await started.stop()
})

it('reports a failure of MiniMax that has the status 200 as a failure, free of charge', async () => {
  const json = { choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }
  const started = await startRecipe('minimax', () => ({ json }))
  const answer = await started.send({ model: started.model, messages: hi })
  expect([answer.status, started.spentNano()]).toEqual([502, 0n])
  await started.stop()
})
