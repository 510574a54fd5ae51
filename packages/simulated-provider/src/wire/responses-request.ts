import { type ChatRequest, readChatRequest } from './chat-request.ts'
import { type Fields, integerIn, isFields } from './read-fields.ts'
import { readItems } from './responses-items.ts'

/**
 * Checks a Responses body and converts it to a chat request.
 *
 * @param model the id of the requested model
 * @throws WireError 400, or 404 for an item that is not stored
 */
export function readResponsesRequest(body: Fields, model: string): ChatRequest {
  const chat = {
    messages: [...instructionsOf(body), ...readItems(body.input ?? null, model)],
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

function nestedTool(tool: unknown): unknown {
  if (!isFields(tool) || tool.type !== 'function') return tool
  const { type, ...definition } = tool
  return { type, function: definition }
}

function nestedChoice(choice: unknown): unknown {
  if (!isFields(choice) || choice.type === 'allowed_tools') return choice
  return choice.type === 'function' ? { type: choice.type, function: { name: choice.name } } : { type: choice.type }
}

function formatOf(text: unknown): unknown {
  const format = isFields(text) ? (text.format ?? null) : null
  if (!isFields(format) || format.type !== 'json_schema') return format
  return { type: 'json_schema', json_schema: { name: format.name, schema: format.schema } }
}
