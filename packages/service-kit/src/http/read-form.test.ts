import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { eventually } from '@ratchet/testing/eventually'
import express from 'express'
import { type FormFields, isForm, readForm } from './read-form.ts'
import { asServiceError } from './service-error.ts'

interface Seen {
  readonly bytes: number
  readonly filename: string
  readonly ahead: FormFields
  readonly fields: FormFields
}

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A server that reads forms, and the results. */
async function serve({ stopAfter = Number.POSITIVE_INFINITY, startsLate = false } = {}) {
  const outcomes: string[] = []
  const app = express()
  app.post('/', async (request, response) => {
    try {
      const seen = await readForm<Seen>(request, {
        fields: ['name'],
        maxFileBytes: 100_000,
        async onFile({ filename, content, fieldsAhead }, fields) {
          if (startsLate) await new Promise((resolve) => request.once('end', () => setImmediate(resolve)))
          let bytes = 0
          for await (const chunk of content) {
            bytes += chunk.length
            if (bytes > stopAfter) throw new RangeError('enough')
          }
          return { bytes, filename, ahead: fieldsAhead(), fields: await fields }
        },
      })
      response.json(seen)
    } catch (error) {
      const { status, code, param } = asServiceError(error)
      outcomes.push(code)
      if (!response.destroyed) response.status(status).json({ code, param })
    }
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  stops.push(
    () => server.closeAllConnections(),
    () => void server.close(),
  )
  const { port } = server.address() as AddressInfo
  return { port, outcomes, post: (body: FormData) => fetch(`http://127.0.0.1:${port}`, { method: 'POST', body }) }
}

function form(...parts: readonly (readonly [name: string, value: string, filename?: string])[]): FormData {
  const data = new FormData()
  for (const [name, value, filename] of parts) {
    if (filename === undefined) data.append(name, value)
    else data.append(name, new Blob([value]), filename)
  }
  return data
}

it.each([
  ['before', form(['name', 'n'], ['file', 'abc', 'a.txt']), { name: 'n' }],
  ['behind', form(['file', 'abc', 'a.txt'], ['name', 'n']), {}],
])('returns fields that come %s the file', async (_where, body, ahead) => {
  const { post } = await serve()
  expect(await (await post(body)).json()).toEqual({ bytes: 3, filename: 'a.txt', ahead, fields: { name: 'n' } })
})

it('removes folders from a file name', async () => {
  const { post } = await serve()
  const names = ['../../etc/passwd', 'C:\\x\\y.txt', `${'n'.repeat(300)}.txt`, '\u0007']
  const seen: Seen[] = []
  for (const name of names) seen.push((await (await post(form(['file', 'x', name]))).json()) as Seen)
  expect(seen.map(({ filename }) => filename)).toEqual(['passwd', 'y.txt', 'n'.repeat(255), 'file'])
})

const large = 'x'.repeat(100_001)

it.each([
  ['a file that is too large', form(['file', large, 'f']), 413, 'request_too_large', 'file'],
  ['no file', form(['name', 'n']), 400, 'invalid_request', 'file'],
  ['a file without a name', form(['file', 'x']), 400, 'invalid_request', 'file'],
  ['two files', form(['file', 'x', 'f'], ['file', 'y', 'g']), 400, 'invalid_request', 'file'],
  ['a file by another name', form(['other', 'x', 'f']), 400, 'unknown_parameter', 'other'],
  ['a field by another name', form(['frob', 'x'], ['file', 'x', 'f']), 400, 'unknown_parameter', 'frob'],
  ['a field twice', form(['name', 'x'], ['name', 'y'], ['file', 'x', 'f']), 400, 'invalid_request', 'name'],
  ['a field that is too long', form(['name', large], ['file', 'x', 'f']), 400, 'invalid_request', 'name'],
  ['__proto__', form(['__proto__', 'x'], ['file', 'x', 'f']), 400, 'unknown_parameter', '__proto__'],
])('refuses %s', async (_what, body, status, code, param) => {
  const { post } = await serve()
  const answer = await post(body)
  expect([answer.status, await answer.json()]).toEqual([status, { code, param }])
})

it('answers also when the file was not read completely', async () => {
  const { post } = await serve({ stopAfter: 10 })
  const answer = await post(form(['file', 'x'.repeat(90_000), 'f'], ['name', 'n']))
  expect(answer.status).toBe(500)
})

/** Sends the bytes of a request and resolves with the whole answer. */
function sendRaw(port: number, text: string, { leave = false } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, () => leave && socket.destroy()))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
  })
}

const head = (contentType: string, body: string, length = body.length) =>
  `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${contentType}\r\nContent-Length: ${length}\r\n\r\n${body}`
const begun = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nhalf of'

it.each([
  ['a file', 'form-data; filename="f"'],
  ['a file with an empty name', 'form-data; name=""; filename="f"'],
  ['a field', 'form-data'],
])('names the missing name of %s', async (_what, disposition) => {
  const { port } = await serve()
  const body = `--b\r\nContent-Disposition: ${disposition}\r\n\r\nx\r\n--b--\r\n`
  const answer = await sendRaw(port, head('multipart/form-data; boundary=b', body))
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('"param":"Content-Disposition"')
})

it.each([
  ['no boundary', head('multipart/form-data', begun)],
  ['a form that ends in the middle', head('multipart/form-data; boundary=b', begun)],
  ['a malformed form', head('multipart/form-data; boundary=b', 'what?')],
])('refuses %s with an answer', async (_what, request) => {
  const { port } = await serve()
  expect(await sendRaw(port, request)).toMatch(/^HTTP\/1\.1 400 /)
})

it('ends when the client disconnects in the middle', async () => {
  const { port, outcomes } = await serve()
  await sendRaw(port, head('multipart/form-data; boundary=b', begun, 50_000), { leave: true })
  await eventually(() => expect(outcomes).toEqual(['invalid_request']))
})

it('answers a form that ends in the middle before its file is read', async () => {
  const { port } = await serve({ startsLate: true })
  expect(await sendRaw(port, head('multipart/form-data; boundary=b', begun))).toMatch(/^HTTP\/1\.1 400 /)
})

it('survives a client that disconnects in the middle of an unexpected file', async () => {
  const { port, outcomes, post } = await serve()
  const other = begun.replace('name="file"', 'name="other"')
  await sendRaw(port, head('multipart/form-data; boundary=b', other, 50_000), { leave: true })
  await eventually(() => expect(outcomes).toEqual(['invalid_request']))
  expect((await post(form(['file', 'abc', 'a.txt'], ['name', 'n']))).status).toBe(200)
})

it.each([
  ['multipart/form-data; boundary=x', true],
  ['Multipart/Form-Data;boundary=x', true],
  ['multipart/form-datax', false],
  ['application/json', false],
])('recognizes %s as a form: %s', (contentType, expected) => {
  expect(isForm({ headers: { 'content-type': contentType } } as Parameters<typeof isForm>[0])).toBe(expected)
})
