import type { Cell, SurfaceName } from './matrix.ts'
import { documents, mediaPaths, mediaQuestions, question } from './speak-media.ts'

/** The last token of an answer that repeats the question; the simulated provider's tokens have four units. */
export const lastToken = question.slice(-(question.length % 4 || 4))

export const paths: Readonly<Record<SurfaceName, string>> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  completions: '/v1/completions',
  compactions: '/v1/responses/compact',
  sockets: '/v1/responses',
  embeddings: '/v1/embeddings',
  rerank: '/v1/rerank',
  gemini: '/v1beta/models/*call',
  ...mediaPaths,
}

type Fields = Record<string, unknown>

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tool = { name: 'get_weather', description: 'The weather in a city', parameters }

/** The request of a cell, in the format of its surface. */
export function bodyOf(cell: Cell, { model, stream }: { model: string; stream: boolean }): Fields {
  return { ...questions[cell.surface](cell), ...(stream ? { stream, ...streamed(cell.surface) } : {}), model }
}

function streamed(surface: SurfaceName): Fields {
  return surface === 'chat' || surface === 'completions' ? { stream_options: { include_usage: true } } : {}
}

const askedResponse = ({ condition }: Cell): Fields => ({
  input: question,
  ...(condition === 'tool call'
    ? { tools: [{ type: 'function', ...tool, strict: false }], tool_choice: 'required' }
    : {}),
  ...(asksForTools(condition) ? { tools: hostedTools } : {}),
  ...(condition === 'service tier' ? { service_tier: 'priority' } : {}),
})

const questions: Readonly<Record<SurfaceName, (cell: Cell) => Fields>> = {
  chat: ({ condition }) => ({
    messages: [{ role: 'user', content: condition === 'cache write' ? cachedText : question }],
    ...(condition === 'tool call' ? { tools: [{ type: 'function', function: tool }], tool_choice: 'required' } : {}),
    ...(condition === 'hosted tool' ? { tools: [{ type: 'web_search' }] } : {}),
    ...(condition === 'service tier' ? { service_tier: 'priority' } : {}),
  }),
  responses: askedResponse,
  sockets: askedResponse,
  messages: ({ condition }) => ({
    max_tokens: 2_000,
    messages: [{ role: 'user', content: asked(condition) }],
    ...(condition === 'tool call' ? { tools: [anthropicTool], tool_choice: { type: 'any' } } : {}),
    ...(asksForTools(condition) ? { tools: [{ type: 'web_search_20250305', name: 'web_search' }] } : {}),
    ...(condition === 'service tier' ? { speed: 'fast' } : {}),
  }),
  completions: () => ({ prompt: question, max_tokens: 2_000 }),
  compactions: () => ({ input: question }),
  embeddings: () => ({ input: [question, ...documents], dimensions: 8 }),
  rerank: () => ({ query: question, documents }),
  gemini: () => ({ contents: [{ parts: [{ text: question }] }] }),
  ...mediaQuestions,
}

function asksForTools(condition: Cell['condition']): boolean {
  return condition === 'hosted tool' || condition === 'cut after a search'
}

function asked(condition: Cell['condition']): unknown {
  if (condition === 'cache write for an hour') {
    return [{ type: 'text', text: question, cache_control: { type: 'ephemeral', ttl: '1h' } }]
  }
  return condition === 'cache write' ? cachedText : question
}

const cachedText = [{ type: 'text', text: question, cache_control: { type: 'ephemeral' } }]
const anthropicTool = { name: tool.name, description: tool.description, input_schema: parameters }

const hostedTools = [{ type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto' } }]

/** Usage and text of an answer. */
export interface Reported {
  /** US dollars. */
  readonly cost: number
  readonly prompt: number
  readonly completion: number
  /** The complete text of the model. */
  readonly text: string
}

/** Reads a complete answer, streamed or not; null when it has no usage, like an error or an incomplete stream. */
export function readAnswer(surface: SurfaceName, raw: string, isStream: boolean): Reported | null {
  if (surface === 'speech') return null
  const events = isStream ? eventsOf(raw) : []
  const whole = isStream ? null : JSON.parse(raw)
  return readers[surface](whole, events)
}

// biome-ignore lint/suspicious/noExplicitAny: the assertions are about the wire format itself
type Json = any

/** The JSON of every event of a stream. */
function eventsOf(raw: string): readonly Json[] {
  return raw
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))
}

type Reader = (whole: Json, events: readonly Json[]) => Reported | null

const readResponse: Reader = (whole, events) => {
  const usage = (whole ?? events.findLast((event) => event.type === 'response.completed')?.response)?.usage
  const items: readonly Json[] = whole?.output ?? []
  const deltas = events.filter((event) => event.type === 'response.output_text.delta').map((event) => event.delta)
  const text = [...items.map((item) => item.content?.[0]?.text ?? ''), ...deltas].join('')
  return reported(usage, { prompt: usage?.input_tokens, completion: usage?.output_tokens, text })
}

const readers: Readonly<Record<SurfaceName, Reader>> = {
  chat(whole, events) {
    const usage = (whole ?? events.findLast((event) => event.usage))?.usage
    const spoken = whole === null ? events.map((event) => event.choices?.[0]?.delta) : [whole.choices?.[0]?.message]
    const text = spoken.map((said) => said?.content ?? '').join('')
    return reported(usage, { prompt: usage?.prompt_tokens, completion: usage?.completion_tokens, text })
  },
  responses: readResponse,
  sockets: readResponse,
  messages(whole, events) {
    const usage = (whole ?? events.findLast((event) => event.type === 'message_delta'))?.usage
    const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage ?? {}
    const blocks: readonly Json[] = whole?.content ?? events.map((event) => event.delta)
    const text = blocks.map((block) => block?.text ?? '').join('')
    return reported(usage, { prompt: input + (read ?? 0) + (written ?? 0), completion: usage?.output_tokens, text })
  },
  completions(whole, events) {
    const usage = (whole ?? events.findLast((event) => event.usage))?.usage
    const text = (whole === null ? events : [whole]).map((event) => event.choices?.[0]?.text ?? '').join('')
    return reported(usage, { prompt: usage?.prompt_tokens, completion: usage?.completion_tokens, text })
  },
  compactions(whole) {
    const text = whole.output.map((item: Json) => item.content?.[0]?.text ?? '').join('')
    return reported(whole.usage, { prompt: whole.usage?.input_tokens, completion: whole.usage?.output_tokens, text })
  },
  embeddings: (whole) => reported(whole.usage, { prompt: whole.usage?.prompt_tokens, completion: 0, text: '' }),
  rerank: (whole) => reported(whole.usage, { prompt: whole.usage?.prompt_tokens, completion: 0, text: '' }),
  moderations: (whole) => reported(whole.usage, { prompt: whole.usage?.prompt_tokens, completion: 0, text: '' }),
  images: (whole) =>
    reported(whole.usage, { prompt: whole.usage?.input_tokens, completion: whole.usage?.output_tokens, text: '' }),
  gemini(whole, events) {
    const answers = whole === null ? events : [whole]
    const usage = answers.at(-1)?.usageMetadata
    const completion = usage?.candidatesTokenCount + (usage?.thoughtsTokenCount ?? 0)
    const texts = answers.map((answer) => answer.candidates?.[0]?.content.parts.map((part: Json) => part.text).join(''))
    const counts = { prompt: usage?.promptTokenCount, completion, text: texts.join('') }
    return reported({ cost_usd: usage?.costUsd }, counts)
  },
  speech: () => null,
  transcriptions: (whole) => reported(whole.usage, { prompt: 0, completion: 0, text: whole.text }),
}

function reported(usage: Json, counts: Omit<Reported, 'cost'>): Reported | null {
  return usage?.cost_usd === undefined ? null : { cost: usage.cost_usd, ...counts }
}
