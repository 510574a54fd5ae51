import { type ChatRequest, readChatRequest } from '../chat-request.ts'
import { decimalIn, type Fields, integerIn, isFields, itemsOf, parseJson, textOf, wrongType } from '../read-fields.ts'
import { WireError } from '../wire-error.ts'
import { checkName, readTurns } from './converse-turns.ts'

/** The allowed members of a body; any other is refused, as Bedrock does. */
const members = [
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'outputConfig',
  'additionalModelRequestFields',
  'additionalModelResponseFieldPaths',
  'requestMetadata',
  'performanceConfig',
  'serviceTier',
]

/**
 * Checks a Converse body and converts it to a chat request.
 *
 * @throws WireError 400
 */
export function readConverseRequest(body: Fields): ChatRequest {
  checkMembers(body, members, '#')
  const inference = fieldsAt(body, 'inferenceConfig')
  checkMembers(inference, ['maxTokens', 'temperature', 'topP', 'stopSequences'], '#/inferenceConfig')
  decimalIn(inference, 'temperature', 0, 1)
  const turns = readTurns(itemsOf(body, 'messages'))
  const { tools, choice } = readToolConfig(body)
  if (turns.usesTools && tools === null) {
    throw refusal('The toolConfig field must be defined when using toolUse and toolResult content blocks.')
  }
  return readChatRequest({
    messages: [...readSystem(body.system), ...turns.messages],
    top_p: inference.topP,
    max_completion_tokens: integerIn(inference, 'maxTokens', 1, 10_000_000),
    stop: inference.stopSequences,
    response_format: readFormat(fieldsAt(body, 'outputConfig')),
    tools,
    tool_choice: choice,
  })
}

function readSystem(system: unknown): Fields[] {
  if (system === undefined) return []
  if (!Array.isArray(system)) throw wrongType('system', 'an array of objects', system)
  const texts = system.flatMap((block, index) =>
    isCachePoint(block) ? [] : [textOf(isFields(block) ? block : {}, 'text', `system.${index}.text`)],
  )
  return [{ role: 'system', content: texts.join('\n') }]
}

function readToolConfig(body: Fields): { tools: Fields[] | null; choice: unknown } {
  if (body.toolConfig === undefined) return { tools: null, choice: null }
  const config = fieldsAt(body, 'toolConfig')
  checkMembers(config, ['tools', 'toolChoice'], '#/toolConfig')
  const tools = itemsOf(config, 'tools').flatMap((tool) => {
    if (isCachePoint(tool)) return []
    const spec = fieldsAt(isFields(tool) ? tool : {}, 'toolSpec')
    checkMembers(spec, ['name', 'description', 'inputSchema', 'strict'], '#/toolConfig/tools/toolSpec')
    checkName(spec.name, 'toolConfig.tools.toolSpec.name')
    if (spec.description === '')
      throw refusal('Value at toolSpec.description failed to satisfy constraint: minLength 1')
    const parameters = fieldsAt(fieldsAt(spec, 'inputSchema'), 'json')
    if (parameters.type !== 'object') throw refusal('toolSpec.inputSchema.json.type must be one of: object.')
    return [{ type: 'function', function: { name: spec.name, parameters } }]
  })
  return { tools, choice: readChoice(fieldsAt(config, 'toolChoice')) }
}

function isCachePoint(block: unknown): boolean {
  return isFields(block) && isFields(block.cachePoint)
}

function readChoice(choice: Fields): unknown {
  checkMembers(choice, ['auto', 'any', 'tool'], '#/toolConfig/toolChoice')
  if (isFields(choice.tool)) return { type: 'function', function: { name: choice.tool.name } }
  return choice.any === undefined ? 'auto' : 'required'
}

function readFormat(config: Fields): Fields | null {
  checkMembers(config, ['textFormat'], '#/outputConfig')
  if (config.textFormat === undefined) return null
  const format = fieldsAt(config, 'textFormat')
  if (format.type !== 'json_schema') throw refusal('outputConfig.textFormat.type must be json_schema.')
  const definition = fieldsAt(fieldsAt(format, 'structure'), 'jsonSchema')
  const schema = parseJson(textOf(definition, 'schema'))
  if (!isFields(schema)) throw refusal('outputConfig.textFormat.structure.jsonSchema.schema is not valid JSON.')
  return { type: 'json_schema', json_schema: { name: 'format', schema } }
}

/** An object member, empty when absent. @throws WireError when it is something else */
function fieldsAt(fields: Fields, name: string): Fields {
  const value = fields[name] ?? {}
  if (!isFields(value)) throw wrongType(name, 'an object', value)
  return value
}

function checkMembers(fields: Fields, known: readonly string[], place: string): void {
  const unknownField = Object.keys(fields).find((name) => !known.includes(name))
  if (unknownField !== undefined) {
    throw refusal(`Malformed input request: ${place}: extraneous key [${unknownField}] is not permitted`)
  }
}

function refusal(message: string): WireError {
  return new WireError(400, message)
}
