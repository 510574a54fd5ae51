import { asList, asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import type { Body } from '../../dialect.ts'
import type { ProviderRequest } from '../../provider.ts'
import type { ChatRewrite, ChatTranslation } from '../../translate-via-chat.ts'
import { callsInReply } from './calls-in-reply.ts'
import { callsInStream } from './calls-in-stream.ts'
import { toPlainTools } from './to-plain-tools.ts'

/** Providers that have custom tools, and functions as they were before tools. */
const withAllTools: ReadonlySet<string> = new Set(['openai', 'azure-openai'])

/** True when the request has custom tools or the older functions, and its provider may have neither. */
export function needsPlainTools({ dialect, body, model, leniency }: ProviderRequest): boolean {
  if (dialect !== 'chat' || leniency === undefined || withAllTools.has(model.provider)) return false
  if (!isAbsent(body.functions) || !isAbsent(body.function_call)) return true
  return asList(body.tools).some(isCustom) || asList(body.messages).some(hasOtherCalls)
}

function hasOtherCalls(value: unknown): boolean {
  const message = asObject(value)
  if (message === null) return false
  const { role, function_call, tool_calls } = message
  return role === 'function' || !isAbsent(function_call) || (Array.isArray(tool_calls) && tool_calls.some(isCustom))
}

function isCustom(value: unknown): boolean {
  return asObject(value)?.type === 'custom'
}

/** Translates custom tools and the older functions of a chat completion to function tools, and their calls back. */
export const plainTools: ChatTranslation = {
  dialect: 'chat',
  toChat: toPlainTools,
  nameField,
  fromReply: callsInReply,
  fromStream: callsInStream,
}

function nameField(param: string, _rewrite: ChatRewrite & { readonly ok: true }, { body }: ProviderRequest): string {
  const steps = param.split('.')
  return isAbsent(body.functions) && isAbsent(body.function_call) ? customName(steps, body) : olderName(steps)
}

function olderName([first, index, inside, ...rest]: readonly string[]): string {
  const name =
    first === 'tools'
      ? ['functions', index, ...(inside === 'function' ? rest : [])]
      : first === 'tool_choice'
        ? ['function_call']
        : inside === 'tool_calls'
          ? [first, index, 'function_call', ...rest.slice(2)]
          : [first, index, inside, ...rest]
  return name.filter((step) => step !== undefined).join('.')
}

/** The innermost member `function` of a custom tool or of its call is `custom` in the request. */
function customName(steps: readonly string[], body: Body): string {
  const at = steps.indexOf('function')
  const holder = steps.slice(0, at).reduce<unknown>((value, step) => memberOf(value, step), body)
  return at > 0 && isCustom(holder) ? [...steps.slice(0, at), 'custom'].join('.') : steps.join('.')
}

function memberOf(value: unknown, step: string): unknown {
  return Array.isArray(value) ? value[Number(step)] : (asObject(value) as Fields | null)?.[step]
}
