/** One turn of the conversation that a person writes. */
export interface Turn {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** What a person typed. Numbers and JSON are texts until they are sent. */
export interface Draft {
  readonly system: string
  readonly turns: readonly Turn[]
  readonly temperature: string
  readonly maxTokens: string
  /** A JSON list of tools; empty for none. */
  readonly tools: string
  /** A JSON object of further parameters; empty for none. */
  readonly others: string
}

export type DraftRead =
  | { readonly kind: 'ready'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'wrong'; readonly field: 'tools' | 'others' | 'turns'; readonly message: string }

/** The request that a draft means, without its model. */
export function readDraft({ system, turns, temperature, maxTokens, tools, others }: Draft): DraftRead {
  const said = turns.filter(({ text }) => text.trim() !== '')
  if (said.length === 0) return { kind: 'wrong', field: 'turns', message: 'Write a message first.' }
  const toolList = parseJson(tools)
  if (toolList === wrong || (toolList !== undefined && !Array.isArray(toolList))) {
    return { kind: 'wrong', field: 'tools', message: 'Tools must be a JSON list.' }
  }
  const more = parseJson(others)
  if (more === wrong || (more !== undefined && !isObject(more))) {
    return { kind: 'wrong', field: 'others', message: 'Other parameters must be a JSON object.' }
  }
  const messages = [
    ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
    ...said.map(({ role, text }) => ({ role, content: text })),
  ]
  const body = {
    ...more,
    messages,
    ...(temperature === '' ? {} : { temperature: Number(temperature) }),
    ...(maxTokens === '' ? {} : { max_tokens: Number(maxTokens) }),
    ...(toolList === undefined ? {} : { tools: toolList }),
  }
  return { kind: 'ready', body }
}

const wrong = Symbol('wrong')

function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return wrong
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
