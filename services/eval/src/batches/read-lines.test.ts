import { maxBatchErrors, maxBatchLineBytes } from '@ratchet/contracts/batches'
import { readLines } from './read-lines.ts'

async function* of(text: string) {
  yield Buffer.from(text)
}

const endpoint = '/v1/chat/completions'
const line = (changes: object = {}) =>
  JSON.stringify({ custom_id: 'a', method: 'POST', url: endpoint, body: { model: 'm' }, ...changes })

async function read(text: string) {
  const found = []
  for await (const each of readLines(of(text), endpoint)) found.push(each)
  return found
}

it('reads requests with the number of their line', async () => {
  expect(await read(`${line()}\n\n${line({ custom_id: 'b' })}\r\n`)).toEqual([
    { request: { line: 1, customId: 'a', body: '{"model":"m"}' } },
    { request: { line: 3, customId: 'b', body: '{"model":"m"}' } },
  ])
})

it.each([
  ['no JSON', '{', 'invalid_json_line', null],
  ['no object', '[]', 'invalid_request', null],
  ['no custom_id', line({ custom_id: undefined }), 'invalid_request', 'custom_id'],
  ['an empty custom_id', line({ custom_id: '' }), 'invalid_request', 'custom_id'],
  ['another method', line({ method: 'GET' }), 'invalid_request', 'method'],
  ['another endpoint', line({ url: '/v1/embeddings' }), 'mismatched_endpoint', 'url'],
  ['a body that is no object', line({ body: 'x' }), 'invalid_request', 'body'],
  ['too many bytes', line({ body: { x: 'x'.repeat(maxBatchLineBytes) } }), 'line_too_large', null],
])('names a line with %s', async (_name, text, code, param) => {
  expect(await read(`${line({ custom_id: 'ok' })}\n${text}`)).toMatchObject([
    { request: { customId: 'ok' } },
    { error: { code, param, line: 2 } },
  ])
})

it('names a custom_id that an earlier line has, and a file without lines', async () => {
  expect(await read(`${line()}\n${line()}`)).toMatchObject([
    { request: { line: 1 } },
    { error: { code: 'duplicate_custom_id', param: 'custom_id', line: 2 } },
  ])
  expect(await read('\n \n')).toMatchObject([{ error: { code: 'empty_file', line: null } }])
})

it('stops after many errors', async () => {
  expect(await read('{\n'.repeat(3 * maxBatchErrors))).toHaveLength(maxBatchErrors)
})
