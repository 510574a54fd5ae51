import { asList, asObject, asText, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import { customArguments, functionOfCustom } from '../../custom-tools.ts'
import type { Body } from '../../dialect.ts'
import type { ProviderRequest } from '../../provider.ts'
import type { ChatRewrite } from '../../translate-via-chat.ts'

/** The request with function tools in place of custom tools and of the older functions, also in its history. */
export function toPlainTools({ body }: Pick<ProviderRequest, 'body'>): ChatRewrite {
  const { functions, function_call: choice, ...rest } = body
  const origins = new Map()
  if (!isAbsent(functions) && !Array.isArray(functions)) return wrong('functions', 'functions must be an array.')
  if (!isAbsent(functions) && !isAbsent(body.tools)) return wrong('functions', 'functions cannot be used with tools.')
  const nameless = asList(functions).findIndex((each) => asObject(each) === null)
  if (nameless >= 0) return wrong(`functions.${nameless}`, `functions.${nameless} must be an object.`)
  const older = asList(functions).map((each) => ({ type: 'function', function: each }))
  return {
    ok: true,
    origins,
    body: {
      ...rest,
      messages: plainMessages(body.messages),
      ...(isAbsent(body.tools) ? {} : { tools: asList(body.tools).map(plainTool) }),
      ...(older.length === 0 ? {} : { tools: older }),
      ...(isAbsent(body.tool_choice) ? {} : { tool_choice: plainChoice(body.tool_choice) }),
      ...(older.length === 0 || isAbsent(choice) ? {} : { tool_choice: choiceOfOlder(choice) }),
    },
  }
}

function wrong(param: string, message: string): ChatRewrite {
  return { ok: false, code: 'invalid_request', param, message }
}

function plainTool(value: unknown): unknown {
  const tool = asObject(value)
  if (tool?.type !== 'custom') return value
  const { custom, ...rest } = tool
  const { format, ...named } = asObject(custom) ?? {}
  const { grammar } = asObject(format) ?? {}
  // Here the grammar is a member of its own; in the Responses API its members are those of the format.
  return { ...rest, type: 'function', function: functionOfCustom({ ...named, format: flatFormat(format, grammar) }) }
}

function flatFormat(format: unknown, grammar: unknown): Fields | null {
  const fields = asObject(format)
  return fields === null ? null : { ...fields, ...asObject(grammar) }
}

function plainChoice(choice: unknown): unknown {
  const fields = asObject(choice)
  if (fields?.type === 'custom') return { type: 'function', function: { name: asObject(fields.custom)?.name } }
  if (fields?.type !== 'allowed_tools') return choice
  const allowed = asObject(fields.allowed_tools) ?? {}
  return { ...fields, allowed_tools: { ...allowed, tools: asList(allowed.tools).map(plainChoice) } }
}

function choiceOfOlder(choice: unknown): unknown {
  const name = asObject(choice)?.name
  return name === undefined ? choice : { type: 'function', function: { name } }
}

function plainMessages(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  // An older call has no id. Its result follows it.
  let calls = 0
  return value.map((each) => {
    const message = asObject(each)
    if (message === null) return each
    const { function_call: call, ...rest } = message
    if (message.role === 'function') {
      const { name: _of, ...result } = rest
      return { ...result, role: 'tool', tool_call_id: olderId(calls), content: message.content ?? '' }
    }
    if (!isAbsent(call)) {
      calls += 1
      return { ...rest, tool_calls: [{ id: olderId(calls), type: 'function', function: call }] }
    }
    const list = asList(message.tool_calls)
    return list.length === 0 ? each : { ...message, tool_calls: list.map(plainCall) }
  })
}

function olderId(count: number): string {
  return `call_${count}`
}

function plainCall(value: unknown): unknown {
  const call = asObject(value)
  if (call?.type !== 'custom') return value
  const { custom, ...rest } = call
  const { name, input } = asObject(custom) ?? {}
  return { ...rest, type: 'function', function: { name, arguments: customArguments(input) } }
}

/** The names of the custom tools of a chat completion. */
export function customToolNames({ tools }: Body): ReadonlySet<string> {
  const names = asList(tools).map((tool) => {
    const { type, custom } = asObject(tool) ?? {}
    return type === 'custom' ? asText(asObject(custom)?.name) : null
  })
  return new Set(names.filter((name) => name !== null))
}

/** True when the client reads calls as a single `function_call`. */
export function hasOlderFunctions({ functions }: Body): boolean {
  return asList(functions).length > 0
}
