import { hashApiKey } from './hash-api-key.ts'

it('is the SHA-256 of the key', () => {
  // The test vector of FIPS 180-2, B.1.
  expect(Buffer.from(hashApiKey('abc')).toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})
