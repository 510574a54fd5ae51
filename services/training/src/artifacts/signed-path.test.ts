import { createPathSigner, type SignedAccess } from './signed-path.ts'

const keyOf = (byte: number) => new Uint8Array(32).fill(byte)
const signer = createPathSigner([keyOf(1)])
const access: SignedAccess = { method: 'get', sha256: 'ab'.repeat(32), bytes: 5, scope: '', expires: 1_000 }
const signatureOf = (path: string) => new URL(path, 'http://training').searchParams.get('signature') ?? ''
const before = new Date(999_000)

it('lets a signed path through until it expires', () => {
  const signature = signatureOf(signer.sign(access))
  expect(signer.verify(access, signature, before)).toBe(true)
  expect(signer.verify(access, signature, new Date(1_000_001))).toBe(false)
})

it('is good for this method, content, uploader and time only', () => {
  const signature = signatureOf(signer.sign(access))
  const others: SignedAccess[] = [
    { ...access, method: 'put' },
    { ...access, sha256: 'cd'.repeat(32) },
    { ...access, bytes: 6 },
    { ...access, scope: 'attempt-1' },
    { ...access, expires: 2_000 },
  ]
  for (const other of others) expect(signer.verify(other, signature, before)).toBe(false)
  for (const forged of ['', 'x', '00'.repeat(32)]) expect(signer.verify(access, forged, before)).toBe(false)
})

it('accepts signatures of an older key', () => {
  const rotated = createPathSigner([keyOf(2), keyOf(1)])
  expect(rotated.verify(access, signatureOf(signer.sign(access)), before)).toBe(true)
  expect(signer.verify(access, signatureOf(rotated.sign(access)), before)).toBe(false)
})
