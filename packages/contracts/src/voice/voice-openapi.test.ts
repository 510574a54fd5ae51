import { voiceEndpoints } from './voice-endpoints.ts'
import { isVoiceError, voiceErrorCodes } from './voice-errors.ts'
import { voiceOpenApi } from './voice-openapi.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is read as clients would
type Json = any

const document: Json = JSON.parse(JSON.stringify(voiceOpenApi()))
const operations: { path: string; method: string; operation: Json }[] = Object.entries<Json>(document.paths).flatMap(
  ([path, methods]) => Object.entries<Json>(methods).map(([method, operation]) => ({ path, method, operation })),
)

it('has every endpoint once, under a name of its own', () => {
  expect(operations).toHaveLength(voiceEndpoints.length)
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
})

it('lists only statuses and codes of the table, and headers of the limit on every answer', () => {
  for (const { operation } of operations) {
    for (const [status, answer] of Object.entries<Json>(operation.responses)) {
      expect(Object.keys(answer.headers)).toEqual(Object.keys(document.components.headers))
      if (Number(status) < 400) continue
      expect(Object.keys(voiceErrorCodes)).toContain(status)
      for (const code of answer.description.replace(/^Codes: |\.$/g, '').split(', ')) {
        expect(isVoiceError({ status: Number(status), code: code === 'none' ? null : code })).toBe(true)
      }
    }
  }
})

it('names every parameter of a path, and every field of a body with its rule', () => {
  for (const { path, operation } of operations) {
    const named = operation.parameters.filter((each: Json) => each.in === 'path').map((each: Json) => each.name)
    expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
  }
  const { schema } = document.paths['/v1/agents'].post.requestBody.content['application/json']
  expect(schema.required).toEqual(['name', 'system_prompt', 'language', 'voice', 'model'])
  expect(schema.properties.max_duration_seconds).toMatchObject({ minimum: 30, maximum: 7_200, default: 600 })
  expect(schema.additionalProperties).toBe(false)
})
