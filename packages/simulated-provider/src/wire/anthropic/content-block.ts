import type { ChatChoice } from '../../answers/chat-choice.ts'
import { usualSearches } from '../output-item.ts'
import { type Fields, isFields, parseJson } from '../read-fields.ts'
import { signatureOf } from './thought-rules.ts'

/** Who calls a tool: the model itself, and no program that it wrote. */
const byModel = { type: 'direct' } as const

/** One block of an answer. */
export type ContentBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use' | 'server_tool_use'; id: string; name: string; input: unknown; caller: typeof byModel }
  | { type: 'web_search_tool_result'; tool_use_id: string; content: readonly object[] }

/** A block, and the text that a stream sends piece by piece. */
export interface AnswerBlock {
  block: ContentBlock
  text: string
}

/** An answer as blocks: thinking, text, calls. A call that the limit cut off has an empty input. */
export function answerBlocks(choice: ChatChoice, thinking: string): AnswerBlock[] {
  const { content, toolCalls } = choice
  const thought: ContentBlock = { type: 'thinking', thinking, signature: signatureOf(thinking) }
  const calls = toolCalls.map(({ id, name, arguments: text }): AnswerBlock => {
    const called = { id: id.replace('call_', 'toolu_'), name, input: parseJson(text) ?? {} }
    return { block: { type: 'tool_use', ...called, caller: byModel }, text }
  })
  return [
    ...(thinking === '' ? [] : [{ block: thought, text: thinking }]),
    ...(content === null || content === '' ? [] : [{ block: { type: 'text' as const, text: content }, text: content }]),
    ...calls,
  ]
}

/** Number of searches before an answer: as many as usual, if the tool is not limited to fewer. */
export function searchesOf({ tools }: Fields): number {
  const offered = (Array.isArray(tools) ? tools : []).find(
    (tool) => isFields(tool) && String(tool.type).startsWith('web_search_'),
  )
  if (!isFields(offered)) return 0
  return typeof offered.max_uses === 'number' ? Math.min(offered.max_uses, usualSearches) : usualSearches
}

/** The searches and their results, which a client must send back unchanged. */
export function searchBlocks(name: string, searches: number): AnswerBlock[] {
  return Array.from({ length: searches }, (_, index) => {
    const id = `srvtoolu_${name.slice(0, 20)}${index}`
    const query = `simulated search ${index}`
    const result = { type: 'web_search_result', url: 'https://example.test/', title: query, encrypted_content: 'c2lt' }
    const call: ContentBlock = { type: 'server_tool_use', id, name: 'web_search', input: { query }, caller: byModel }
    return [
      { block: call, text: JSON.stringify({ query }) },
      { block: { type: 'web_search_tool_result' as const, tool_use_id: id, content: [result] }, text: '' },
    ]
  }).flat()
}
