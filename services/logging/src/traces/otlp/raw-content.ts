import { asList, asObject, type Fields } from '@ratchet/service-kit/values/json'
import { parseJsonText } from '../../chat-form/parse-json-text.ts'
import { readAnswer, readMessages } from '../../chat-form/read-messages.ts'
import { readTools } from '../../chat-form/read-tools.ts'
import { rawContent } from './exchange-attributes.ts'
import type { FoundContent } from './found-content.ts'
import type { OtlpSpan } from './read-spans.ts'

/** Reads content from attributes that have a whole request, or its messages, and a whole answer. */
export function readRawContent({ attributes }: OtlpSpan): FoundContent | null {
  for (const { input, output } of rawContent) {
    const content = attributes.has(input) ? readContent(attributes.get(input), attributes.get(output)) : null
    if (content !== null) return content
  }
  const outputs = rawContent.map(({ output }) => attributes.get(output))
  return readContent(
    undefined,
    outputs.find((output) => output !== undefined),
  )
}

/** Reads a request, or its messages, and an answer, each as a value, as JSON or as a text; null when there is neither. */
export function readContent(input: unknown, output: unknown): FoundContent | null {
  if (input === undefined && output === undefined) return null
  const request = asObject(parseJsonText(input))
  const answer = asObject(parseJsonText(output))
  return {
    messages: readMessages(input, 'user'),
    response: readAnswer(output),
    tools: readTools(request?.tools),
    finishReason: answer === null ? null : finishReasonOf(answer),
  }
}

function finishReasonOf(answer: Fields): string | null {
  if (answer.object === 'response') return finishReasonOfResponse(answer)
  const reason = asObject(Array.isArray(answer.choices) ? answer.choices[0] : answer)?.finish_reason
  return typeof reason === 'string' ? reason : null
}

/** Calls that the client answers; the provider runs the others before it ends. */
const callsOfClients: ReadonlySet<unknown> = new Set([
  ...['function_call', 'custom_tool_call', 'computer_call', 'local_shell_call', 'shell_call', 'apply_patch_call'],
  ...['mcp_approval_request', 'tool_search_call'],
])

/** That of a response of the Responses API, in the words of chat completions. */
function finishReasonOfResponse({ status, output, incomplete_details: details }: Fields): string | null {
  if (status === 'incomplete') return asObject(details)?.reason === 'content_filter' ? 'content_filter' : 'length'
  if (status !== 'completed') return null
  return asList(output).some((item) => callsOfClients.has(asObject(item)?.type)) ? 'tool_calls' : 'stop'
}
