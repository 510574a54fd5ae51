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

it('keeps a body as it was sent, so that no number of it changes', async () => {
  const body = '{ "model": "m",  "seed": 12345678901234567890, "temperature": 1.00 }'
  const text = `{"custom_id":"a","method":"POST","url":"${endpoint}","body": ${body} }`
  expect(await read(text)).toEqual([{ request: { line: 1, customId: 'a', body } }])
})

it.each([
  ['a body that is nested so deep that it cannot be written', `${'['.repeat(500_000)}${']'.repeat(500_000)}`],
  ['a body that is given twice', '{},"body":{"model":"n"}'],
])('refuses %s', async (_name, body) => {
  const text = `{"custom_id":"a","method":"POST","url":"${endpoint}","body":${body}}`
  expect(await read(text)).toMatchObject([{ error: { code: 'invalid_json_line', line: 1 } }])
})

it('lets others have their turn between long lines', async () => {
  const long = line({ body: { x: 'x'.repeat(100_000) } })
  let turns = 0
  const count = () => {
    turns += 1
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  await read(`${long}\n`.repeat(20))
  clearImmediate(counting)
  expect(turns).toBeGreaterThan(15)
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
