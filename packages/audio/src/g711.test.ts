import { createHash } from 'node:crypto'
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw, muLawSilence } from './g711.ts'

const everySample = Int16Array.from({ length: 65_536 }, (_, i) => i - 32_768)
const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i)
const sha256 = (samples: Uint8Array | Int16Array) =>
  createHash('sha256')
    .update(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
    .digest('hex')

it('encodes and decodes every sample as Python 3.11 audioop does', () => {
  // lin2ulaw and lin2alaw of all 16-bit samples, ulaw2lin and alaw2lin of all bytes.
  expect(sha256(encodeMuLaw(everySample))).toBe('81d633c9e6972a18c74a58720b96cb8ca0bdd096d4060b646dd708c3b846019a')
  expect(sha256(decodeMuLaw(everyByte))).toBe('3dab54339e520bb2c924826e3b72a917a2b612e9fd12fc867500f1d983a75827')
  expect(sha256(encodeALaw(everySample))).toBe('38488f6fd710f4686360edc4d38639f96c491595ef93f8eb8d62d5e07ca6ce7b')
  expect(sha256(decodeALaw(everyByte))).toBe('e04788d110e58ff8c70c93b8480190d973e3b67876b6119abbaec766cc75c174')
})

it('returns silence as silence', () => {
  expect(encodeMuLaw(new Int16Array(2))).toEqual(Uint8Array.of(muLawSilence, muLawSilence))
  expect(decodeMuLaw(Uint8Array.of(muLawSilence))).toEqual(new Int16Array(1))
})
