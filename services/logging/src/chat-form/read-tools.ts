import { asList, asObject, type Fields } from '@ratchet/service-kit/values/json'
import { parseJsonText, toText } from './parse-json-text.ts'

/**
 * Reads definitions of tools in the form of any known API or SDK as those of a chat completion; null when there are none.
 * Tools that a provider runs itself have no such form and remain as they are.
 */
export function readTools(value: unknown): readonly unknown[] | null {
  const tools = asList(parseJsonText(value)).flatMap((tool) => readTool(parseJsonText(tool)))
  return tools.length === 0 ? null : tools
}

function readTool(tool: unknown): readonly unknown[] {
  const fields = asObject(tool)
  if (fields === null) return []
  const declared = fields.functionDeclarations ?? fields.function_declarations
  if (Array.isArray(declared)) return declared.flatMap(readTool)
  const specified = asObject(fields.toolSpec)
  if (specified !== null) return readTool(specified)
  if (asObject(fields.function) !== null) return [fields]
  const schema = schemaOf(fields)
  const isFunction = fields.type === undefined || fields.type === 'function' || fields.type === 'custom'
  if (!isFunction && schema === null) return [fields]
  const { name, description, strict } = fields
  return [
    {
      type: 'function',
      function: {
        name: toText(name),
        ...(typeof description === 'string' ? { description } : {}),
        ...(schema === null ? {} : { parameters: schema }),
        ...(typeof strict === 'boolean' ? { strict } : {}),
      },
    },
  ]
}

function schemaOf({ parameters, input_schema, inputSchema, json_schema }: Fields): Fields | null {
  const schema = asObject(parseJsonText(parameters ?? input_schema ?? inputSchema ?? json_schema))
  return asObject(schema?.json) ?? asObject(schema?.jsonSchema) ?? schema
}
