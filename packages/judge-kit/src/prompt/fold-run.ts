import { createHash } from 'node:crypto'
import { maxJudgedChars } from './build-data-prompt.ts'
import type { ExchangeMessage, JudgedExchange } from './exchange.ts'
import { jsonText, renderContent } from './render-content.ts'
import { renderReplyText } from './render-exchange.ts'

/** Collects the steps of an agent run, one after the other. */
export interface RunFold {
  /** False when the run has become too large to be judged; its content is then dropped. */
  add(step: JudgedExchange): boolean
  /**
   * The run as one exchange: `messages` has every message and answer of the run before its last answer, in order. Null for
   * a run without steps, and for one that is too large.
   */
  read(): JudgedExchange | null
}

/** Maximum JSON characters of a run. Media and reasoning are shown as short marks, so it may have more than a prompt. */
const maxRunChars = 4 * maxJudgedChars

/** What follows a message in the conversations of a run, by the keys of the messages. */
type Following = Map<string, Following>

/**
 * Folds the steps of a run into one exchange. Each step sends again what the steps before it sent, so a message is left
 * out when it was seen before, after the same messages. System messages are compared without regard to their position,
 * because some agents write the time into them. Messages are compared by what a judge sees of them: a message that differs
 * in anything that a judge can see is in the result.
 *
 * Memory and time are linear in the size of the steps, of which only the one that is added is in memory.
 */
export function createRunFold(): RunFold {
  const conversations: Following = new Map()
  const systems = new Set<string>()
  const offered = new Map<string, unknown>()
  let shown: ExchangeMessage[] = []
  let chars = 0
  let last: { readonly response: ExchangeMessage; readonly isNew: boolean; readonly model: string | null } | null = null

  const show = (message: ExchangeMessage) => {
    shown.push(message)
    chars += jsonText(message).length
  }
  const follow = (at: Following, message: ExchangeMessage): { readonly next: Following; readonly isNew: boolean } => {
    const key = keyOf(message)
    const known = at.get(key)
    if (known !== undefined) return { next: known, isNew: false }
    const next: Following = new Map()
    at.set(key, next)
    return { next, isNew: true }
  }
  const addMessage = (at: Following, message: ExchangeMessage): Following => {
    if (isSystem(message)) {
      const key = keyOf(message)
      if (!systems.has(key)) show(message)
      systems.add(key)
      return at
    }
    const { next, isNew } = follow(at, message)
    if (isNew) show(message)
    return next
  }

  return {
    add({ messages, response, tools, model }) {
      if (chars > maxRunChars) return false
      if (last?.isNew === true) show(last.response)
      const end = messages.reduce(addMessage, conversations)
      last = { response, isNew: follow(end, response).isNew, model }
      for (const tool of tools ?? []) {
        const text = jsonText(tool)
        if (!offered.has(text)) chars += text.length
        offered.set(text, tool)
      }
      if (chars <= maxRunChars) return true
      shown = []
      return false
    },
    read() {
      if (last === null || chars > maxRunChars) return null
      const { response, model } = last
      return { messages: [...shown], response, tools: offered.size === 0 ? null : [...offered.values()], model }
    },
  }
}

/** Folds steps that are in memory already. */
export function foldRun(steps: readonly JudgedExchange[]): JudgedExchange | null {
  const fold = createRunFold()
  for (const step of steps) fold.add(step)
  return fold.read()
}

function isSystem({ role }: ExchangeMessage): boolean {
  return role === 'system' || role === 'developer'
}

/** Equal for messages that a judge cannot distinguish, apart from the mark of their reasoning, which clients leave out. */
function keyOf(message: ExchangeMessage): string {
  const { role, tool_call_id: callId, name, content } = message
  const seen = role === 'assistant' ? [role, renderReplyText(message)] : [role, callId, name, renderContent(content)]
  return createHash('sha256').update(jsonText(seen)).digest('base64')
}
