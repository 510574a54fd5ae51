/** Values that a member must have to make sense, by its name: without them, its request would be wrong at any provider. */

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const pdf = 'JVBERi0xLjQKJUVPRgo='
const image = `data:image/png;base64,${png}`
const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

const schemas = new Set(['parameters', 'input_schema', 'schema'])

const numbers = {
  max_tokens: 2048,
  max_completion_tokens: 2048,
  max_output_tokens: 2048,
  budget_tokens: 1024,
  top_p: 0.5,
  top_logprobs: 2,
  temperature: 0.5,
  partial_images: 1,
  compact_threshold: 60_000,
  ttl_seconds: 300,
  display_width_px: 1024,
  display_height_px: 768,
  output_compression: 90,
  max_num_results: 5,
  score_threshold: 0.5,
}

const texts = {
  image_url: image,
  data: png,
  file_data: `data:application/pdf;base64,${pdf}`,
  file_url: 'https://files.example/a.pdf',
  server_url: 'https://mcp.example/sse',
  url: 'https://files.example/a.png',
  arguments: '{"city":"Bergen"}',
  call_id: 'call_1',
  tool_call_id: 'call_1',
  tool_use_id: 'toolu_1',
  filename: 'a.pdf',
  name: 'look',
  encrypted_content: 'gAAAAABo',
  signature: 'c2lnbmF0dXJl',
  content: 'Hello.',
  text: 'Hello.',
  input: 'Hello.',
  definition: 'start: "a"',
  pattern: '[a-z]+',
  timezone: 'Europe/Oslo',
  country: 'NO',
  city: 'Bergen',
  region: 'Vestland',
  container: 'container_1',
  diff: '*** Begin Patch',
  path: 'a.ts',
  fingerprint: 'f',
  tool_name: 'look',
}

/**
 * @param {readonly string[]} path of the member, with `0` for an element of a list
 * @param {'any' | 'string' | 'number' | 'object'} kind
 * @returns a value for that place; undefined when any value will do
 */
export function sampleOf(path, kind) {
  const name = path.at(-1) === '0' ? path.at(-2) : path.at(-1)
  if (kind === 'number') return numbers[name]
  if (kind === 'string') return texts[name]
  if (kind !== 'any') return undefined
  if (schemas.has(name)) return schema
  // Names of models inside a request are many and all alike.
  return name === 'model' && path.length > 1 ? 'claude-sonnet-4-6' : undefined
}
