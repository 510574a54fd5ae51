import type { ChatRequest } from '../wire/chat-request.ts'
import { fitSchema } from './fit-schema.ts'

type Schema = Record<string, unknown>

/** Places of a prompt at which a schema is searched, and characters of one. */
const limits = { maxPlaces: 200, maxCharacters: 50_000 }

/** How gateways and libraries ask a model for any JSON object when its API has no such setting. */
const anyObject = /\b(?:answer|reply|respond) with (?:one |a |an )?(?:single )?(?:valid )?JSON object\b/i

/**
 * JSON for a prompt that asks for JSON and contains a JSON Schema, or an object such as `{"answer": "{answer}"}`, as
 * libraries do for models without schemas, and for a prompt that says "answer with one valid JSON object": null when it
 * does neither. In a fence where the prompt writes of one.
 */
export function promptedJson({ messages }: ChatRequest, answer: string): string | null {
  const text = messages
    .filter(({ role }) => role !== 'assistant')
    .map((message) => message.text)
    .join('\n')
  const schema = /json/i.test(text) ? schemaIn(text) : null
  if (schema === null) return anyObject.test(text) ? JSON.stringify({ answer }) : null
  const json = JSON.stringify(fitSchema(schema, answer, 'word'))
  return text.includes('```json') ? `\`\`\`json\n${json}\n\`\`\`` : json
}

/** The first JSON object of a text that describes an object. */
function schemaIn(text: string): Schema | null {
  let at = text.indexOf('{')
  for (let places = 0; at !== -1 && places < limits.maxPlaces; places += 1) {
    const end = endOfObject(text, at)
    const schema = end === null ? null : readSchema(text.slice(at, end))
    if (schema !== null) return schema
    at = text.indexOf('{', at + 1)
  }
  return null
}

function readSchema(text: string): Schema | null {
  try {
    const value = JSON.parse(text) as Schema
    const { properties } = value
    const isSchema = typeof properties === 'object' && properties !== null && !Array.isArray(properties)
    if (isSchema && (value.type === undefined || value.type === 'object')) return value
    return schemaOfBlanks(value)
  } catch {
    return null
  }
}

/** The schema of an object with a name in braces in place of each text; null for another object. */
function schemaOfBlanks(value: Schema): Schema | null {
  const members = Object.entries(value)
  if (members.length === 0 || !members.every(([, text]) => typeof text === 'string' && /^\{\w+\}$/.test(text)))
    return null
  return { type: 'object', properties: Object.fromEntries(members.map(([name]) => [name, { type: 'string' }])) }
}

/** The place behind the brace that closes the object at a place. */
function endOfObject(text: string, from: number): number | null {
  let depth = 0
  let isString = false
  for (let at = from; at < text.length && at < from + limits.maxCharacters; at += 1) {
    const character = text[at]
    if (isString) {
      if (character === '\\') at += 1
      else if (character === '"') isString = false
    } else if (character === '"') isString = true
    else if (character === '{') depth += 1
    else if (character === '}') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return null
}
