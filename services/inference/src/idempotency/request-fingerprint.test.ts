import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { type FingerprintedRequest, requestFingerprint } from './request-fingerprint.ts'

function fingerprintOf(text: string, changes: Partial<FingerprintedRequest> = {}): string {
  const bytes = Buffer.from(text)
  const scan = scanJson(bytes, { maxDepth: 64, maxKeys: 1_000 })
  if (!scan.ok) throw new Error(scan.reason)
  const path = '/v1/chat/completions'
  return requestFingerprint({ method: 'POST', path, bytes, scan, ...changes }).toString('hex')
}

const text = '{"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":false}'

it('is the same for the same request in another layout', () => {
  const other = '{ "stream": false, "messages": [ {"content": "Hi", "role": "user"} ], "model": "m" }\n'

  expect(fingerprintOf(other)).toBe(fingerprintOf(text))
  expect(fingerprintOf(text)).toHaveLength(64)
})

it.each([
  ['message', text.replace('Hi', 'Hello')],
  ['model', text.replace('"m"', '"n"')],
  ['way of delivery', text.replace('false', 'true')],
  ['set of parameters', text.replace('"stream"', '"seed":1,"stream"')],
])('is different for a different %s', (_, other) => {
  expect(fingerprintOf(other)).not.toBe(fingerprintOf(text))
})

it.each([{ method: 'PUT' }, { path: '/v1/messages' }])('is different for %j', (changes) => {
  expect(fingerprintOf(text, changes)).not.toBe(fingerprintOf(text))
})
