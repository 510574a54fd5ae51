import { z } from 'zod'
import { listOf } from './list-of.ts'

const ToolCall = z.looseObject({ type: z.string().optional() })

/** A message of a training example in the format of OpenAI. Unknown members are kept. */
const TrainingMessage = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), listOf(z.looseObject({ type: z.string() })), z.null()]).default(null),
  tool_calls: listOf(ToolCall).optional(),
  weight: z.union([z.literal(0), z.literal(1)]).optional(),
})
type TrainingMessage = z.infer<typeof TrainingMessage>

/** One line of a dataset, as a trainer reads it. Whether it ends with a reply depends on the format of the dataset. */
export const TrainingExample = z.strictObject({
  messages: listOf(TrainingMessage).min(1).max(10_000),
  tools: listOf(z.looseObject({})).optional(),
  parallel_tool_calls: z.boolean().optional(),
})
export type TrainingExample = z.infer<typeof TrainingExample>

/** A conversation that ends with the answer to be learned. */
export const AnsweredExample = TrainingExample.superRefine(({ messages }, context) => {
  const path = ['messages', messages.length - 1]
  const last = messages.at(-1)
  if (last?.role !== 'assistant') {
    context.addIssue({ code: 'custom', path, message: "The last message must be the assistant's reply." })
  } else if (isEmpty(last)) {
    context.addIssue({ code: 'custom', path, message: 'The reply has neither content nor tool calls.' })
  }
})
export type AnsweredExample = z.infer<typeof AnsweredExample>

/** A conversation of a dataset of prompts, which ends before the answer. */
export const TrainingPrompt = TrainingExample.superRefine(({ messages }, context) => {
  if (messages.at(-1)?.role === 'assistant') {
    const path = ['messages', messages.length - 1]
    context.addIssue({ code: 'custom', path, message: 'A prompt ends before the reply of the assistant.' })
  }
  if (!messages.some(({ role }) => role === 'user')) {
    context.addIssue({ code: 'custom', path: ['messages'], message: 'A prompt has a message of the user.' })
  }
})

function isEmpty({ content, tool_calls, function_call }: TrainingMessage): boolean {
  const isSaying = typeof content === 'string' ? content.trim() !== '' : (content ?? []).length > 0
  return !isSaying && (tool_calls ?? []).length === 0 && function_call === undefined
}
