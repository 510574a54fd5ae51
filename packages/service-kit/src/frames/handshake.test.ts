import { randomBytes } from 'node:crypto'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import { FrameError } from './frame-format.ts'
import { greet, maxHandshakeBytes, proveEdge, proveInference } from './handshake.ts'

const current = { id: 'k2', secret: randomBytes(32) }
const former = { id: 'k1', secret: randomBytes(32) }
/** What the reader of records delivers of a record. */
const contentOf = (record: Buffer) => record.subarray(4)
const begin = () => greet(randomBytes(32))

it.each([current, former])('proves both peers with any key that inference accepts ($id)', (key) => {
  const greeting = begin()
  const edge = proveEdge(contentOf(greeting.record), key, randomBytes(32))
  const inference = proveInference(greeting, contentOf(edge.record), [current, former])
  edge.checkAnswer(contentOf(inference.record))
  expect(inference.keys).toEqual(edge.keys)
  expect(edge.keys.fromEdge).not.toEqual(edge.keys.fromInference)
  for (const { length } of [greeting.record, edge.record, inference.record]) {
    expect(length - 4).toBeLessThanOrEqual(maxHandshakeBytes)
  }
})

it('has other keys on every connection', () => {
  const nonce = randomBytes(32)
  const [first, second] = [begin(), begin()].map(({ record }) => proveEdge(contentOf(record), current, nonce))
  expect(first?.keys).not.toEqual(second?.keys)
})

it.each([
  ['with another secret', { id: 'k2', secret: randomBytes(32) }],
  ['with an unknown id', { id: 'k9', secret: current.secret }],
])('refuses an edge %s', (_name, key) => {
  const greeting = begin()
  const edge = proveEdge(contentOf(greeting.record), key, randomBytes(32))
  expect(() => proveInference(greeting, contentOf(edge.record), [current, former])).toThrow(FrameError)
})

it('refuses the key of a service that calls inference', () => {
  const { caller, id, secret } = keyOfCaller(current, 'judging')
  for (const key of [
    { id, secret },
    { id: `${caller}.${id}`, secret },
  ]) {
    const greeting = begin()
    const edge = proveEdge(contentOf(greeting.record), key, randomBytes(32))
    expect(() => proveInference(greeting, contentOf(edge.record), [current, former])).toThrow(FrameError)
  }
})

it('refuses a proof that was recorded on another connection', () => {
  const edge = proveEdge(contentOf(begin().record), current, randomBytes(32))
  expect(() => proveInference(begin(), contentOf(edge.record), [current])).toThrow(FrameError)
})

it('refuses an answer that reflects the proof of the edge', () => {
  const edge = proveEdge(contentOf(begin().record), current, randomBytes(32))
  const ownProof = edge.record.subarray(-32)
  expect(() => edge.checkAnswer(ownProof)).toThrow(FrameError)
  expect(() => edge.checkAnswer(Buffer.alloc(0))).toThrow(FrameError)
})

it.each([Buffer.alloc(0), Buffer.from('HTTP/1.1 400 Bad Request'), Buffer.alloc(48)])(
  'refuses a peer of another protocol (%#)',
  (greeting) => {
    expect(() => proveEdge(greeting, current, randomBytes(32))).toThrow(FrameError)
  },
)
