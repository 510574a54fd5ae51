import type { Fields } from '../wire/read-fields.ts'

/** Members that carry what a request talks about; a record of thousands of requests cannot keep them. */
const contentMembers = new Set([
  'messages',
  'input',
  'instructions',
  'system',
  'contents',
  'systemInstruction',
  'documents',
  'query',
  'tools',
  'toolConfig',
  'model',
])

/** Longest setting worth keeping, in characters of JSON. */
const longest = 2_000

/** The settings of a body, known to the provider or not, with `null` in place of very long ones. */
export function settingsOf(body: Fields): Fields {
  const settings: Fields = {}
  for (const name in body) {
    if (!contentMembers.has(name)) settings[name] = isShort(body[name]) ? body[name] : null
  }
  return settings
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= longest
  return typeof value !== 'object' || JSON.stringify(value).length <= longest
}
