/**
 * Whole requests around one varied member: a result of a tool follows its call, a choice of a tool has that tool, and so on,
 * because a request without them is wrong at any provider.
 */

const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const said = (content) => ({ role: 'user', content })
const hello = said('Hello.')

const chatTool = { type: 'function', function: { name: 'look', parameters } }
const chatCall = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"city":"Bergen"}' } }

const pdf = 'data:application/pdf;base64,JVBERi0xLjQKJUVPRgo='
const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Gives objects the members of which the types require one of several, or none although the API requires it. */
function completed(value) {
  if (Array.isArray(value)) return value.map(completed)
  if (typeof value !== 'object' || value === null) return value
  const all = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, completed(member)]))
  switch (all.type) {
    case 'input_image':
      return all.file_id || all.image_url ? all : { ...all, image_url: png }
    case 'input_file':
      return all.file_id || all.file_data || all.file_url ? all : { ...all, filename: 'a.pdf', file_data: pdf }
    case 'file':
      return typeof all.file !== 'object' || all.file.file_id
        ? all
        : { ...all, file: { filename: 'a.pdf', file_data: pdf, ...all.file } }
    case 'json_schema':
      return all.json_schema ? { ...all, json_schema: { schema: parameters, ...all.json_schema } } : all
    case 'reasoning':
      return { ...all, id: 'rs_1' }
    case 'function_call':
    case 'function_call_output':
      return { ...all, call_id: 'call_1' }
    default:
      return all
  }
}

function chatMessages([message]) {
  switch (message.role) {
    case 'assistant': {
      const results = (message.tool_calls ?? []).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'Rain.' }))
      const older = message.function_call ? [{ role: 'function', name: 'look', content: 'Rain.' }] : []
      return [hello, message, ...results, ...older, said('Go on.')]
    }
    case 'tool':
      return [hello, { role: 'assistant', content: null, tool_calls: [chatCall] }, message]
    case 'function':
      return [hello, { role: 'assistant', content: null, function_call: chatCall.function }, message]
    case 'user':
      return [message]
    default:
      return [message, hello]
  }
}

const customOf = (name) => ({ type: 'custom', custom: { name } })

function chat(name, value) {
  const body = { messages: [hello] }
  switch (name) {
    case 'messages':
      return { messages: chatMessages(value) }
    case 'tool_choice':
      return { ...body, tools: [value?.type === 'custom' ? customOf(value.custom.name) : chatTool], tool_choice: value }
    case 'functions':
      return { ...body, functions: value }
    case 'function_call':
      return { ...body, functions: [chatTool.function], function_call: value }
    case 'parallel_tool_calls':
      return { ...body, tools: [chatTool], parallel_tool_calls: value }
    case 'audio':
      return { ...body, modalities: ['text', 'audio'], audio: value }
    case 'modalities':
      return {
        ...body,
        modalities: value,
        ...(JSON.stringify(value).includes('audio') ? { audio: { voice: 'alloy', format: 'mp3' } } : {}),
      }
    case 'top_logprobs':
      return { ...body, logprobs: true, top_logprobs: value }
    case 'stream_options':
      return { ...body, stream: true, stream_options: value }
    default:
      return { ...body, [name]: value }
  }
}

const responseTool = { type: 'function', name: 'look', parameters, strict: false }

function responses(name, value, { smallestItem, smallestTool }) {
  const body = { input: 'Hello.' }
  const item = () => {
    const type = value[0]?.type ?? 'message'
    const call = type.endsWith('_output') ? smallestItem(type.replace(/_output$/, '')) : undefined
    const result = type.endsWith('_call') ? smallestItem(`${type}_output`) : undefined
    const turn = [hello, ...(call ? [call] : []), value[0], ...(result ? [result] : [])]
    return type === 'compaction_trigger' ? turn : [...turn, said('Go on.')]
  }
  switch (name) {
    case 'input':
      return typeof value === 'string' ? { input: value } : { input: item() }
    case 'tool_choice': {
      const hosted = smallestTool(value?.type)
      const tool = value?.type === 'custom' ? { type: 'custom', name: 'look' } : (hosted ?? responseTool)
      return { ...body, tools: [tool], tool_choice: value }
    }
    case 'parallel_tool_calls':
      return { ...body, tools: [responseTool], parallel_tool_calls: value }
    case 'stream_options':
      return { ...body, stream: true, stream_options: value }
    case 'max_tool_calls':
      return { ...body, tools: [{ type: 'web_search' }], max_tool_calls: value }
    case 'top_logprobs':
      return { ...body, include: ['message.output_text.logprobs'], top_logprobs: value }
    default:
      return { ...body, [name]: value }
  }
}

const messageTool = { name: 'look', input_schema: parameters }
const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { city: 'Bergen' } }
/** Blocks that only a model writes. */
const ofAssistant =
  /^(tool_use|server_tool_use|mcp_tool_use|thinking|redacted_thinking|compaction|fallback|mcp_tool_listing|.+_tool_result)$/

function messageList([message]) {
  const block = Array.isArray(message.content) ? message.content[0] : null
  if (message.role === 'system') return [hello, { content: 'Be brief.', ...message }, hello]
  if (block !== null && /^tool_(addition|removal)$/.test(block.type)) return [hello, { ...message, role: 'system' }]
  if (block?.type === 'container_upload') return [{ ...message, content: [block, { type: 'text', text: 'Hello.' }] }]
  if (block?.type === 'tool_use')
    return [
      hello,
      { ...message, role: 'assistant' },
      said([{ type: 'tool_result', tool_use_id: block.id, content: 'Rain.' }]),
    ]
  if (block?.type === 'tool_result')
    return [hello, { role: 'assistant', content: [toolUse] }, { ...message, role: 'user' }]
  if (block !== null && ofAssistant.test(block.type)) {
    const use = block.type.endsWith('_tool_result') ? [serverCall(block)] : []
    return [
      hello,
      { ...message, role: 'assistant', content: [...use, block, { type: 'text', text: 'Yes.' }] },
      said('Go on.'),
    ]
  }
  return message.role === 'assistant' ? [hello, message, said('Go on.')] : [message]
}

function serverCall({ type, tool_use_id: id }) {
  if (type === 'mcp_tool_result') return { type: 'mcp_tool_use', id, name: 'look', server_name: 'text', input: {} }
  return { type: 'server_tool_use', id, name: type.replace(/_tool_result$/, ''), input: {} }
}

function messages(name, value) {
  const body = { max_tokens: 4096, messages: [hello] }
  switch (name) {
    case 'messages':
      return { ...body, messages: messageList(value) }
    case 'tool_choice':
      return { ...body, tools: [messageTool], tool_choice: value }
    case 'mcp_servers':
      return { ...body, mcp_servers: value, tools: [{ type: 'mcp_toolset', mcp_server_name: value[0]?.name }] }
    default:
      return { ...body, [name]: value }
  }
}

const makers = { chat, responses, messages }

/** @returns a request with the value as the member of that name */
export function bodyOf(api, name, value, samples) {
  return completed(makers[api](name, completed(value), samples))
}
