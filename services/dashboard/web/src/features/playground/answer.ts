import type { StreamHead } from '../../api/stream-call.ts'

/** What is known of one model's answer while it arrives, and after. Times are milliseconds since the request was sent. */
export interface Answer {
  readonly state: 'running' | 'done' | 'stopped' | 'failed'
  /** The session of the request, which no other one has. */
  readonly session: string
  readonly head: StreamHead | null
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly firstTokenMs: number | null
  readonly tookMs: number | null
  readonly finishReason: string | null
  readonly tokens: { readonly prompt: number; readonly completion: number } | null
  /** US dollars as the API sends them. */
  readonly costUsd: number | null
  readonly error: unknown
}

interface ToolCall {
  readonly name: string
  readonly input: string
}

export type AnswerEvent =
  | { readonly kind: 'head'; readonly head: StreamHead }
  | { readonly kind: 'part'; readonly part: unknown; readonly atMs: number }
  | { readonly kind: 'end'; readonly state: 'done' | 'stopped'; readonly atMs: number }
  | { readonly kind: 'failed'; readonly error: unknown; readonly atMs: number }

const newAnswer: Omit<Answer, 'session'> = {
  state: 'running',
  head: null,
  text: '',
  calls: [],
  firstTokenMs: null,
  tookMs: null,
  finishReason: null,
  tokens: null,
  costUsd: null,
  error: null,
}

export function startedAnswer(session: string): Answer {
  return { ...newAnswer, session }
}

/** The answer after something arrived. What arrives after its end is ignored. */
export function answerAfter(answer: Answer, event: AnswerEvent): Answer {
  if (answer.state !== 'running') return answer
  if (event.kind === 'head') return { ...answer, head: event.head }
  if (event.kind === 'end') return { ...answer, state: event.state, tookMs: event.atMs }
  if (event.kind === 'failed') return { ...answer, state: 'failed', error: event.error, tookMs: event.atMs }
  return afterPart(answer, fieldsOf(event.part), event.atMs)
}

function afterPart(answer: Answer, { error, usage, choices }: Fields, atMs: number): Answer {
  if (error !== undefined && error !== null) {
    const { message } = fieldsOf(error)
    const failure = new Error(typeof message === 'string' ? message : 'The answer ended with an error.')
    return { ...answer, state: 'failed', error: failure, tookMs: atMs }
  }
  const choice = fieldsOf(Array.isArray(choices) ? choices[0] : null)
  const { content, tool_calls: pieces } = fieldsOf(choice.delta)
  const text = typeof content === 'string' ? content : ''
  const isToken = text !== '' || Array.isArray(pieces)
  return {
    ...answer,
    ...usageOf(usage),
    text: answer.text + text,
    calls: Array.isArray(pieces) ? pieces.reduce(withPiece, answer.calls) : answer.calls,
    firstTokenMs: answer.firstTokenMs ?? (isToken ? atMs : null),
    finishReason: typeof choice.finish_reason === 'string' ? choice.finish_reason : answer.finishReason,
  }
}

/** Adds a piece of a tool call: the first one has the name, the others continue the arguments. */
function withPiece(calls: readonly ToolCall[], piece: unknown): readonly ToolCall[] {
  const { index, function: called } = fieldsOf(piece)
  const { name, arguments: input } = fieldsOf(called)
  const place = typeof index === 'number' ? index : calls.length
  const before = calls[place] ?? { name: '', input: '' }
  const after = { name: before.name + textOr(name), input: before.input + textOr(input) }
  return [...calls.slice(0, place), after, ...calls.slice(place + 1)]
}

function usageOf(usage: unknown): Partial<Pick<Answer, 'tokens' | 'costUsd'>> {
  const { prompt_tokens: prompt, completion_tokens: completion, cost_usd: costUsd } = fieldsOf(usage)
  const known = typeof prompt === 'number' && typeof completion === 'number' ? { tokens: { prompt, completion } } : {}
  return typeof costUsd === 'number' ? { ...known, costUsd } : known
}

function textOr(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
