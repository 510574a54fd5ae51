import { asList, asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import { customInput } from '../../custom-tools.ts'
import type { Body } from '../../dialect.ts'
import type { ProviderRequest } from '../../provider.ts'
import { customToolNames, hasOlderFunctions } from './to-plain-tools.ts'

/** A chat completion with its calls in the form in which the request offered the tools; null when it has no choices. */
export function callsInReply(chat: Body, { body }: ProviderRequest): Buffer | null {
  if (!Array.isArray(chat.choices)) return null
  const custom = customToolNames(body)
  const choices = chat.choices.map((value) => {
    const choice = asObject(value)
    const message = asObject(choice?.message)
    if (choice === null || message === null) return value
    if (hasOlderFunctions(body)) return olderChoice(choice, message)
    const calls = asList(message.tool_calls)
    return calls.length === 0
      ? choice
      : { ...choice, message: { ...message, tool_calls: calls.map(customCall(custom)) } }
  })
  return Buffer.from(JSON.stringify({ ...chat, choices }))
}

function olderChoice({ finish_reason: reason, ...choice }: Fields, { tool_calls, ...message }: Fields): Fields {
  const call = asObject(asObject(asList(tool_calls)[0])?.function)
  return {
    ...choice,
    message: call === null ? message : { ...message, function_call: call },
    finish_reason: olderReason(reason),
  }
}

/** The finish reason of an answer that may call one of the older functions. */
export function olderReason(reason: unknown): unknown {
  return reason === 'tool_calls' ? 'function_call' : reason
}

function customCall(custom: ReadonlySet<string>) {
  return (value: unknown): unknown => {
    const { function: called, ...call } = asObject(value) ?? {}
    const { name, arguments: written } = asObject(called) ?? {}
    if (typeof name !== 'string' || !custom.has(name)) return value
    return { ...call, type: 'custom', custom: { name, input: customInput(asText(written) ?? '') } }
  }
}
