import { type ChatRequest, readChatRequest } from './chat-request.ts'
import { type Fields, integerIn, isFields, missing, textOf, wrongType } from './read-fields.ts'

/** Checks a Responses body and reads it as the chat request it amounts to. @throws WireError 400 */
export function readResponsesRequest(body: Fields): ChatRequest {
  const chat = {
    messages: [...instructionsOf(body), ...readItems(body.input ?? null)],
    stream: body.stream,
    temperature: body.temperature,
    top_p: body.top_p,
    max_completion_tokens: integerIn(body, 'max_output_tokens', 16, 10_000_000),
    tools: Array.isArray(body.tools) ? body.tools.map(nestedTool) : body.tools,
    tool_choice: nestedChoice(body.tool_choice),
    parallel_tool_calls: body.parallel_tool_calls,
    response_format: formatOf(body.text),
  }
  return readChatRequest(chat)
}

function instructionsOf(body: Fields): Fields[] {
  const instructions = body.instructions ?? null
  return typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : []
}

function readItems(input: unknown): Fields[] {
  if (input === null) throw missing('input')
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  if (!Array.isArray(input)) throw wrongType('input', 'a string or an array of objects', input)
  return input.flatMap((item, index) => readItem(item, `input[${index}]`))
}

/** Items that carry nothing the model reads (reasoning, references) are accepted and left out. */
function readItem(item: unknown, path: string): Fields[] {
  if (!isFields(item)) throw wrongType(path, 'an object', item)
  const type = item.type ?? 'message'
  if (type === 'message') return [{ role: textOf(item, 'role', `${path}.role`), content: readContent(item.content) }]
  if (type === 'function_call_output') {
    const output = item.output ?? ''
    const content = typeof output === 'string' ? output : JSON.stringify(output)
    return [{ role: 'tool', tool_call_id: textOf(item, 'call_id', `${path}.call_id`), content }]
  }
  if (type !== 'function_call') return []
  const call = { name: textOf(item, 'name', `${path}.name`), arguments: item.arguments }
  return [{ role: 'assistant', content: null, tool_calls: [{ id: item.call_id, type: 'function', function: call }] }]
}

function readContent(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  return content.map((part: unknown) => {
    if (!isFields(part)) return part
    if (part.type === 'input_text' || part.type === 'output_text') return { type: 'text', text: part.text }
    if (part.type === 'input_image') return { type: 'image_url', image_url: { url: part.image_url ?? part.file_id } }
    return part.type === 'input_file' ? { type: 'file' } : part
  })
}

function nestedTool(tool: unknown): unknown {
  if (!isFields(tool) || tool.type !== 'function') return tool
  const { type, ...definition } = tool
  return { type, function: definition }
}

function nestedChoice(choice: unknown): unknown {
  return isFields(choice) ? { type: choice.type, function: { name: choice.name } } : choice
}

function formatOf(text: unknown): unknown {
  const format = isFields(text) ? (text.format ?? null) : null
  if (!isFields(format) || format.type !== 'json_schema') return format
  return { type: 'json_schema', json_schema: { name: format.name, schema: format.schema } }
}
