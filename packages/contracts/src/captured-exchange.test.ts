import fc from 'fast-check'
import { type CapturedMeta, decodeCaptures, encodeCaptures, readCaptured } from './captured-exchange.ts'

const meta: CapturedMeta = {
  dialect: 'chat',
  requestId: '00000000-0000-7000-8000-000000000001',
  workspaceId: '00000000-0000-7000-8000-000000000002',
  keyId: '00000000-0000-7000-8000-000000000003',
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-31T00:00:00.000Z',
  servedModel: 'acme/fast',
  requestedModel: 'fast',
  provider: 'acme',
  alias: null,
  canary: false,
  fallbackFrom: null,
  tag: 'a "tag"',
  traceId: null,
  user: null,
  conversationId: null,
  metadata: {},
  stream: true,
  cached: false,
  costNano: '1234',
  latencyMs: 12.5,
  ttftMs: 3,
}

describe('encodeCaptures', () => {
  it('is reversed by decodeCaptures, for any bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 50 }).map((array) => Buffer.from(array))
    fc.assert(
      fc.property(fc.array(fc.tuple(bytes, bytes), { maxLength: 5 }), (pairs) => {
        const exchanges = pairs.map(([request, reply]) => ({ meta, request, reply }))
        expect(decodeCaptures(encodeCaptures(exchanges))).toEqual(exchanges)
      }),
    )
  })
})

describe('decodeCaptures', () => {
  it('refuses bytes that end inside an exchange', () => {
    const whole = encodeCaptures([{ meta, request: Buffer.from('{}'), reply: Buffer.from('{}') }])
    for (let cut = 1; cut < whole.length; cut += 1) {
      expect(() => decodeCaptures(whole.subarray(0, cut))).toThrow(RangeError)
    }
  })
})

describe('readCaptured', () => {
  it.each(['', '{}', 'null', JSON.stringify({ ...meta, costNano: '-1' })])('refuses the facts %j', (text) => {
    const content = { request: Buffer.alloc(0), reply: Buffer.alloc(0) }
    expect(() => readCaptured({ meta: Buffer.from(text), ...content })).toThrow(RangeError)
  })
})
