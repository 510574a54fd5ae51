import { traceDescriptor } from '@ratchet/contracts/otlp-trace-descriptor'
import fc from 'fast-check'
import protobuf from 'protobufjs/light.js'
import { keyValues, otlpRequest, spansIn } from './otlp-request.fixture.ts'
import { traceCodecs } from './trace-codec.ts'

const { protobuf: protobufCodec, json: jsonCodec } = traceCodecs

const root = protobuf.Root.fromJSON(traceDescriptor)
const requestType = root.lookupType('ExportTraceServiceRequest')
const replyType = root.lookupType('ExportTraceServiceResponse')

/** Encodes a request in JSON as protobuf: ids are hex in JSON and bytes in protobuf. */
function toProtobuf(request: object): Buffer {
  const json = JSON.stringify(request, (key, value) =>
    /^(traceId|spanId|parentSpanId)$/.test(key) ? Buffer.from(value, 'hex').toString('base64') : value,
  )
  return Buffer.from(requestType.encode(requestType.fromObject(JSON.parse(json))).finish())
}

const asJson = (request: object) => Buffer.from(JSON.stringify(request))
const hexId = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString('hex'))
const scalar = fc.oneof(fc.string({ unit: 'grapheme' }), fc.boolean(), fc.integer(), fc.constant(0.5))
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('any'), { maxKeys: 3 }),
  ),
})).any
const attributes = fc.dictionary(fc.string(), value, { maxKeys: 4 }) as fc.Arbitrary<Record<string, unknown>>
const span = fc.record(
  {
    traceId: hexId(16),
    spanId: hexId(8),
    parentSpanId: hexId(8),
    name: fc.string(),
    kind: fc.integer({ min: 0, max: 9 }),
    startMs: fc.integer({ min: 0, max: 2 ** 41 }),
    statusCode: fc.integer({ min: 0, max: 3 }),
    attributes,
    events: fc.array(fc.record({ name: fc.string(), attributes }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
)

it('reads the same from both encodings', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 3 }), attributes, (spans, resource) => {
      const request = otlpRequest(spans, resource)
      const read = spansIn(protobufCodec.decode(toProtobuf(request)))
      expect(read).toEqual(spansIn(jsonCodec.decode(asJson(request))))
      expect(read).not.toBeNull()
    }),
  )
})

it('reads large numbers and bytes the same from both encodings', () => {
  const request = otlpRequest([{ attributes: { a: 1 } }])
  const [attribute] = keyValues({ a: 1 })
  const text = JSON.stringify(request)
  for (const replaced of [{ intValue: '-9223372036854775808' }, { bytesValue: 'AQID' }, { doubleValue: 1e300 }]) {
    const other = JSON.parse(text.replace(JSON.stringify(attribute), JSON.stringify({ key: 'a', value: replaced })))
    const read = spansIn(protobufCodec.decode(toProtobuf(other)))
    expect(read?.spans[0]?.attributes.get('a')).toEqual(Object.values(replaced)[0])
    expect(read).toEqual(spansIn(jsonCodec.decode(asJson(other))))
  }
})

it('refuses bytes of neither encoding, and throws no other error', () => {
  const refusal = expect.objectContaining({ code: 'invalid_request' })
  for (const text of ['', '{', 'null{}', '\u0000']) expect(() => jsonCodec.decode(Buffer.from(text))).toThrow(refusal)
  const whole = toProtobuf(otlpRequest([{ attributes: { a: { b: ['c'] } } }]))
  for (let end = 1; end < whole.length; end += 1) {
    expect(() => protobufCodec.decode(whole.subarray(0, end))).toThrow(refusal)
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), (noise, at) => {
      const broken = Buffer.from(whole)
      broken.set(noise.subarray(0, 4), at % (whole.length - 4))
      for (const bytes of [Buffer.from(noise), broken]) {
        try {
          spansIn(protobufCodec.decode(bytes))
        } catch (error) {
          expect(error).toEqual(refusal)
        }
      }
    }),
  )
})

it('reads a message without fields as an export without spans', () => {
  expect(spansIn(protobufCodec.decode(Buffer.alloc(0)))).toEqual({ spans: [], problems: [] })
})

it('skips unknown fields', () => {
  const known = toProtobuf(otlpRequest([{}]))
  const unknown = protobuf.Writer.create().uint32(8_002).string('later').uint32(8_008).int64(7).finish()
  expect(spansIn(protobufCodec.decode(Buffer.concat([known, unknown])))?.spans).toHaveLength(1)
})

it('refuses very deep nesting', () => {
  let value: Uint8Array = new Uint8Array()
  for (let i = 0; i < 3_000; i += 1) {
    const list = protobuf.Writer.create().uint32(10).bytes(value).finish()
    value = protobuf.Writer.create().uint32(42).bytes(list).finish()
  }
  const wrap = (bytes: Uint8Array, ...tags: number[]) =>
    tags.reduce((inner, tag) => protobuf.Writer.create().uint32(tag).bytes(inner).finish(), bytes)
  const request = wrap(value, 18, 74, 18, 18, 10)
  expect(() => protobufCodec.decode(Buffer.from(request))).toThrow(expect.objectContaining({ code: 'invalid_request' }))
})

it('refuses more parts than the maximum, before it creates them', () => {
  const tooLarge = expect.objectContaining({ code: 'request_too_large' })
  const emptySpans = Buffer.alloc(2_100_000, Buffer.from([18, 0]))
  const scope = Buffer.from(protobuf.Writer.create().uint32(18).bytes(emptySpans).finish())
  const request = Buffer.from(protobuf.Writer.create().uint32(10).bytes(scope).finish())
  expect(() => protobufCodec.decode(request)).toThrow(tooLarge)
  expect(() => jsonCodec.decode(Buffer.from(`{"resourceSpans":[${'{},'.repeat(500_001)}{}]}`))).toThrow(tooLarge)
})

it('encodes replies in both encodings', () => {
  const partial = { partialSuccess: { rejectedSpans: '3', errorMessage: 'too large' } }
  expect(protobufCodec.encode({})).toHaveLength(0)
  expect(jsonCodec.encode({}).toString()).toBe('{}')
  expect(JSON.parse(jsonCodec.encode(partial).toString())).toEqual(partial)
  const decoded = replyType.toObject(replyType.decode(protobufCodec.encode(partial)), { longs: String })
  expect(decoded).toEqual(partial)
})
