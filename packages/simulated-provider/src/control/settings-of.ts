import type { Fields } from '../wire/read-fields.ts'

/** Members with the content of a request, which is too large to be stored for thousands of requests. */
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
  'file',
  'prompt',
])

/** Maximum characters of JSON of a setting that is stored. */
const longest = 2_000

/** The settings of a body, known or not, with `null` in place of very long ones. */
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
