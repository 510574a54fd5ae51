import { type Fields, isFields, wrongType, wrongValue } from '../read-fields.ts'
import { WireError } from '../wire-error.ts'
import { readContents, readInstruction } from './gemini-contents.ts'
import { checkKnown } from './known-members.ts'

const bodyMembers = new Set([
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'safetySettings', 'generationConfig', 'cachedContent'],
])
const configMembers = new Set([
  ...['maxOutputTokens', 'temperature', 'topP', 'topK', 'stopSequences', 'seed', 'candidateCount', 'thinkingConfig'],
  ...['presencePenalty', 'frequencyPenalty', 'responseMimeType', 'responseJsonSchema', 'mediaResolution'],
])
const declarationMembers = new Set(['name', 'description', 'parametersJsonSchema', 'parameters'])

export interface GenerateRequest {
  /** The equivalent chat completion body. */
  chat: Fields
  /** True when the thoughts must be returned. */
  includeThoughts: boolean
}

/** Checks a body of `generateContent`. @throws WireError 400 */
export function readGenerateRequest(body: Fields): GenerateRequest {
  checkKnown(body, '', bodyMembers)
  const config = fieldsAt(body.generationConfig, 'generation_config')
  checkKnown(config, 'generation_config', configMembers)
  const { contents } = body
  if (!Array.isArray(contents) || contents.length === 0) {
    throw new WireError(400, '* GenerateContentRequest.contents: contents is not specified\n')
  }
  const system = body.systemInstruction === undefined ? [] : [readInstruction(body.systemInstruction)]
  const functions = readFunctions(body.tools)
  const thinking = fieldsAt(config.thinkingConfig, 'generation_config.thinking_config')
  return {
    chat: {
      messages: [...system.map((content) => ({ role: 'system', content })), ...readContents(contents)],
      max_completion_tokens: config.maxOutputTokens,
      temperature: config.temperature,
      top_p: config.topP,
      stop: config.stopSequences,
      n: config.candidateCount,
      response_format: readFormat(config),
      tools: functions.length === 0 ? undefined : functions,
      tool_choice: readChoice(body.toolConfig),
      parallel_tool_calls: functions.length > 1,
    },
    includeThoughts: thinking.includeThoughts === true,
  }
}

function readFormat({ responseMimeType: type, responseJsonSchema: schema }: Fields): Fields | undefined {
  if (type === undefined || type === 'text/plain') return undefined
  if (type !== 'application/json') {
    throw wrongValue('generation_config.response_mime_type', type, ['text/plain', 'application/json'])
  }
  return schema === undefined ? { type: 'json_object' } : { type: 'json_schema', json_schema: { name: 'x', schema } }
}

/** The functions of all tools; Google's own tools are not simulated. */
function readFunctions(tools: unknown): Fields[] {
  if (tools === undefined) return []
  if (!Array.isArray(tools)) throw wrongType('tools', 'an array of objects', tools)
  return tools.flatMap((tool, index) => {
    const declarations = isFields(tool) ? tool.functionDeclarations : undefined
    if (!Array.isArray(declarations)) throw wrongType(`tools[${index}]`, 'an object with functionDeclarations', tool)
    return declarations.map((declaration, at) => {
      const path = `tools[${index}].function_declarations[${at}]`
      const declared = fieldsAt(declaration, path)
      checkKnown(declared, path, declarationMembers)
      const { name, description, parametersJsonSchema, parameters } = declared
      return { type: 'function', function: { name, description, parameters: parametersJsonSchema ?? parameters } }
    })
  })
}

function readChoice(toolConfig: unknown): unknown {
  const { mode, allowedFunctionNames } = fieldsAt(fieldsAt(toolConfig, 'tool_config').functionCallingConfig, 'config')
  switch (mode ?? 'AUTO') {
    case 'AUTO':
    case 'VALIDATED':
      return 'auto'
    case 'NONE':
      return 'none'
    case 'ANY':
      if (!Array.isArray(allowedFunctionNames)) return 'required'
      return { type: 'function', function: { name: allowedFunctionNames[0] } }
    default:
      throw wrongValue('tool_config.function_calling_config.mode', mode, ['AUTO', 'ANY', 'NONE', 'VALIDATED'])
  }
}

function fieldsAt(value: unknown, path: string): Fields {
  if (value === undefined) return {}
  if (!isFields(value)) throw wrongType(path, 'an object', value)
  return value
}
