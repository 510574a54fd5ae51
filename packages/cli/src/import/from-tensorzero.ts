import type { Fields } from '@ratchet/service-kit/values/json'
import { blocksText, paramsOf } from './bodies.ts'
import {
  countOf,
  type EntryToImport,
  entryOf,
  fieldsOf,
  labelsOf,
  leftOut,
  listOf,
  numberOf,
  type ReadRow,
  runOf,
  textOf,
  timeOf,
} from './exchange.ts'

/**
 * A row of TensorZero's tables `ChatInference` and `JsonInference`, as ClickHouse exports them (`FORMAT JSONEachRow`), or an inference
 * of its API. The steps of an episode become one run. A row names its variant and no model, so join `ModelInference` to keep the
 * model's name, tokens and times.
 *
 * @see https://www.tensorzero.com/docs/gateway/data-model
 */
export function readTensorZero(row: Fields): ReadRow {
  const input = fieldsOf(row.input)
  const output = listOf(row.output)
  const json = fieldsOf(row.output)
  const messages = input === null ? [] : messagesOf(input)
  const response = output === null ? jsonAnswer(json) : answerOf(output)
  if (messages.length === 0 || response === null) return leftOut('rows without input or output')
  const id = textOf(row.id, row.inference_id)
  const inference = fieldsOf(fieldsOf(row.inference_params)?.chat_completion)
  const tools = listOf(fieldsOf(row.tool_params)?.tools_available ?? row.tool_params)
  return entryOf({
    messages,
    response,
    model: textOf(row.model_name, row.variant_name) ?? 'unknown',
    id,
    created_at: timeOf(row.timestamp) ?? timeOfV7(id),
    provider: textOf(row.model_provider_name),
    trace_id: runOf(row.episode_id),
    metadata: labelsOf({ function: row.function_name, variant: row.variant_name, ...fieldsOf(row.tags) }),
    tools: tools === null ? undefined : tools.flatMap(toolOf),
    params: paramsOf(inference),
    finish_reason: textOf(row.finish_reason),
    prompt_tokens: countOf(row.input_tokens),
    completion_tokens: countOf(row.output_tokens),
    latency_ms: numberOf(row.processing_time_ms, row.response_time_ms),
    ttft_ms: numberOf(row.ttft_ms),
  })
}

type Message = EntryToImport['messages'][number]

function messagesOf(input: Fields): Message[] {
  const system = typeof input.system === 'string' ? input.system : writtenOut(input.system)
  const messages = (listOf(input.messages) ?? []).flatMap((value): Message[] => {
    const message = fieldsOf(value)
    const role = textOf(message?.role)
    if (message === null || role === undefined) return []
    if (typeof message.content === 'string') return [{ role, content: message.content }]
    return blocksOf(role, listOf(message.content) ?? [])
  })
  return [...(system === null ? [] : [{ role: 'system', content: system }]), ...messages]
}

/** Arguments of a template, where the row does not have the text that was made of them. */
function writtenOut(value: unknown): string | null {
  const fields = fieldsOf(value)
  return fields === null ? null : JSON.stringify(fields)
}

function blocksOf(role: string, blocks: readonly unknown[]): Message[] {
  const results = blocks.flatMap((block): Message[] => {
    const { type, id, result } = fieldsOf(block) ?? {}
    return type === 'tool_result' ? [{ role: 'tool', tool_call_id: id, content: textOf(result) ?? '' }] : []
  })
  const calls = blocks.flatMap(callOf)
  const text = textOfBlocks(blocks)
  if (calls.length > 0) return [...results, { role, content: text, tool_calls: calls }]
  return [...results, ...(text === null ? [] : [{ role, content: text }])]
}

function textOfBlocks(blocks: readonly unknown[]): string | null {
  const texts = blocks.map((block) => {
    const { type, text, value, arguments: args } = fieldsOf(block) ?? {}
    if (type !== 'text' && type !== 'raw_text' && type !== 'template') return {}
    return { text: textOf(text, value) ?? writtenOut(args) ?? writtenOut(value) }
  })
  return blocksText(texts)
}

function callOf(block: unknown): object[] {
  const { type, id, name, raw_name: rawName, arguments: args, raw_arguments: raw } = fieldsOf(block) ?? {}
  if (type !== 'tool_call') return []
  const written = textOf(raw, args) ?? JSON.stringify(args ?? {})
  return [{ id, type: 'function', function: { name: textOf(name, rawName) ?? '', arguments: written } }]
}

function answerOf(blocks: readonly unknown[]): Message | null {
  const [message] = blocksOf('assistant', blocks)
  return message ?? null
}

/** The answer of a function that gives JSON. */
function jsonAnswer(output: Fields | null): Message | null {
  const text = textOf(output?.raw) ?? writtenOut(output?.parsed)
  return text === null || text === undefined ? null : { role: 'assistant', content: text }
}

function toolOf(value: unknown): object[] {
  const tool = fieldsOf(value)
  if (tool === null) return []
  const { name, description, parameters } = tool
  return [{ type: 'function', function: { name, description, parameters } }]
}

/** A UUIDv7 begins with its time, milliseconds since 1970. */
function timeOfV7(id: string | undefined): string | undefined {
  if (id === undefined || !/^[0-9a-f]{8}-[0-9a-f]{4}-7/i.test(id)) return undefined
  return timeOf(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))
}
