import { asList, asObject, asText } from '@ratchet/service-kit/values/json'
import type { JsonObject } from './environment-tool.ts'
import { readArguments } from './read-arguments.ts'

/** A call of a tool in the log, with its answer. */
export interface ObservedCall {
  /** The run that it belongs to; an exchange without one is its own. */
  readonly traceId: string
  readonly arguments: JsonObject
  readonly result: string
  /** Characters of both. */
  readonly length: number
}

/** What is read of an exchange. */
export interface ToolExchange {
  readonly id: string
  readonly trace_id: string | null
  readonly messages?: readonly unknown[] | undefined
}

/** Longer answers are not recorded. */
const maxResultLength = 65_536

/**
 * The calls of a tool that have an answer in the messages of an exchange. A call is in every later exchange of its run too, so
 * those whose id is among `known` are left out; new ids are added.
 *
 * @param known ids of calls with their runs
 */
export function observedCalls(exchange: ToolExchange, toolName: string, known: Set<string>): readonly ObservedCall[] {
  const traceId = exchange.trace_id ?? exchange.id
  const open = new Map<string, OpenCall>()
  const calls: ObservedCall[] = []
  for (const message of exchange.messages ?? []) {
    const fields = asObject(message)
    if (fields?.role === 'assistant') {
      for (const [id, call] of callsOf(fields.tool_calls, toolName)) open.set(id, call)
      continue
    }
    const id = fields?.role === 'tool' ? asText(fields.tool_call_id) : null
    const call = id === null ? undefined : open.get(id)
    if (fields === null || id === null || call === undefined) continue
    open.delete(id)
    const name = JSON.stringify([traceId, id])
    if (known.has(name)) continue
    known.add(name)
    const result = textOf(fields.content)
    if (result === null || result.length > maxResultLength) continue
    calls.push({ traceId, arguments: call.arguments, result, length: call.length + result.length })
  }
  return calls
}

interface OpenCall {
  readonly arguments: JsonObject
  /** Characters of the arguments. */
  readonly length: number
}

function callsOf(toolCalls: unknown, toolName: string): readonly (readonly [string, OpenCall])[] {
  return asList(toolCalls).flatMap((each): readonly (readonly [string, OpenCall])[] => {
    const call = asObject(each)
    const called = asObject(call?.function)
    const id = asText(call?.id)
    if (id === null || called?.name !== toolName) return []
    const text = asText(called.arguments) ?? ''
    const read = readArguments(text)
    return typeof read === 'string' ? [] : [[id, { arguments: read, length: text.length }]]
  })
}

/** The text of a message: a string, or the texts of its parts. */
function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return null
  return content.map((part) => asText(asObject(part)?.text) ?? '').join('')
}

/** A tool as an exchange offers it. */
export interface OfferedTool {
  readonly description: string
  readonly parameters: JsonObject
}

/** The definition of a tool among those of an exchange; null when it is not offered. */
export function offeredTool(tools: unknown, toolName: string): OfferedTool | null {
  for (const each of asList(tools)) {
    const tool = asObject(asObject(each)?.function)
    if (tool?.name !== toolName) continue
    const parameters = asObject(tool.parameters) ?? { type: 'object' }
    return { description: (asText(tool.description) ?? '').slice(0, 1_024), parameters }
  }
  return null
}
