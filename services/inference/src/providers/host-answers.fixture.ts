import type { HostAnswer, WireBody } from './scripted-host.fixture.ts'

/* Answers in the forms of providers. Each answer has 100 tokens of prompt and 20 of output. */

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
const head = { id: 'chatcmpl-1', created: 1_760_000_000, model: 'm' }

export function frame(data: object | string): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** A completion of OpenAI's form; members of the message and of the answer may be added. */
export function completion(message: object = {}, more: object = {}): HostAnswer {
  const said = { role: 'assistant', content: 'Blue.', ...message }
  const choices = [{ index: 0, message: said, finish_reason: 'stop' }]
  return { json: { ...head, object: 'chat.completion', choices, usage, ...more } }
}

interface Chunks {
  /** Deltas before the last text. */
  readonly before?: readonly object[]
  /** Frames before all others. */
  readonly first?: string
  /** Where the usage is: in a chunk of its own, in every chunk, beside the last delta, or in its choice. */
  readonly usageIn?: 'own' | 'every' | 'last' | 'choice'
  readonly reason?: string
}

/** A stream of OpenAI's form. */
export function chunks({ before = [], first = '', usageIn = 'own', reason = 'stop' }: Chunks = {}): HostAnswer {
  const chunk = (delta: object, finish_reason: string | null = null) => {
    const isLast = finish_reason !== null
    const choice = { index: 0, delta, finish_reason, ...(isLast && usageIn === 'choice' ? { usage } : {}) }
    const beside = usageIn === 'every' || (isLast && usageIn === 'last') ? { usage } : {}
    return frame({ ...head, object: 'chat.completion.chunk', choices: [choice], ...beside })
  }
  const deltas = [{ role: 'assistant', content: '' }, ...before, { content: 'Bl' }, { content: 'ue.' }]
  const own = usageIn === 'own' ? frame({ ...head, object: 'chat.completion.chunk', choices: [], usage }) : ''
  return { frames: first + deltas.map((delta) => chunk(delta)).join('') + chunk({}, reason) + own + frame('[DONE]') }
}

/** The first of these members that the body, or one of its messages, has; null when it has none of them. */
export function surplusIn(body: WireBody, members: readonly string[], ofMessages: readonly string[]): string | null {
  const inBody = members.find((name) => body[name] !== undefined)
  if (inBody !== undefined) return inBody
  for (const message of body.messages ?? []) {
    const name = ofMessages.find((each) => message[each] !== undefined)
    if (name !== undefined) return `messages.${name}`
  }
  return null
}
