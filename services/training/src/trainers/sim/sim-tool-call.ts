import type { GrpoGroup, GrpoRollout } from '@ratchet/contracts/grpo-protocol'
import type { TrainerTool } from '@ratchet/contracts/trainer-tool'
import { isObject } from '@ratchet/service-kit/values/json'
import { subjectOf } from './sim-policy.ts'

/** Arguments of a call: each required property, texts with what the prompt is about. */
export function simArguments(
  { function: { parameters } }: TrainerTool,
  { messages }: Pick<GrpoGroup, 'messages'>,
): Readonly<Record<string, unknown>> {
  const properties = isObject(parameters.properties) ? parameters.properties : {}
  const required = Array.isArray(parameters.required) ? parameters.required.map(String) : []
  const subject = subjectOf(messages)
  return Object.fromEntries(required.map((name) => [name, argumentOf(properties[name], subject)]))
}

function argumentOf(schema: unknown, subject: string): unknown {
  if (!isObject(schema)) return subject
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0]
  const values: Readonly<Record<string, unknown>> = { number: 1, integer: 1, boolean: true, array: [], object: {} }
  return typeof schema.type === 'string' && schema.type in values ? values[schema.type] : subject
}

interface MadeCall {
  readonly name: string
  /** JSON text. */
  readonly arguments: string
  readonly result: string
}

/** Tokens of the result of a tool, which the policy did not sample. */
const resultTokens = 8

/** An answer with a call of a tool and its result before it. */
export function withToolCall(rollout: GrpoRollout, { name, arguments: asked, result }: MadeCall): GrpoRollout {
  const call = { id: 'call_1', type: 'function', function: { name, arguments: asked } }
  const zeros = Array.from({ length: resultTokens }, () => 0 as const)
  return {
    ...rollout,
    completion: [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: result },
      ...rollout.completion,
    ],
    token_ids: [...zeros, ...rollout.token_ids],
    logprobs: [...zeros, ...rollout.logprobs],
    token_mask: [...zeros, ...rollout.token_ids.map(() => 1 as const)],
  }
}
