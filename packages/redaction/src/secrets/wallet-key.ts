import { hash } from 'node:crypto'

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const digits = new Int8Array(128).fill(-1)
for (let at = 0; at < alphabet.length; at++) digits[alphabet.charCodeAt(at)] = at

/** Lengths of a private key of Bitcoin as wallets export it (WIF), for a long and a compressed public key. */
export const walletKeyLengths: ReadonlySet<number> = new Set([51, 52])
/** Its first characters: of the main network, and of test networks. */
export const walletKeyBeginnings: ReadonlySet<string> = new Set('5KL9c')

const checksumBytes = 4

/** True for a private key in Base58Check. Its checksum distinguishes it from any other text of this length. */
export function isWalletKey(text: string): boolean {
  const bytes = decode(text, text.length === 51 ? 37 : 38)
  if (bytes === null || (bytes[0] !== 0x80 && bytes[0] !== 0xef)) return false
  if (bytes.length === 38 && bytes[33] !== 1) return false
  const payload = bytes.subarray(0, -checksumBytes)
  return sha256(sha256(payload)).subarray(0, checksumBytes).equals(bytes.subarray(-checksumBytes))
}

/** Decodes Base58 to a number of bytes; null for another character or a greater number. */
function decode(text: string, length: number): Buffer | null {
  // Three bytes in each limb, so that a product fits in 32 bits.
  const limbs = new Uint32Array(Math.ceil(length / 3))
  for (let at = 0; at < text.length; at++) {
    let carry = digits[text.charCodeAt(at) & 127] as number
    if (carry < 0) return null
    for (let limb = limbs.length - 1; limb >= 0; limb--) {
      const product = (limbs[limb] as number) * 58 + carry
      limbs[limb] = product & 0xff_ffff
      carry = product >>> 24
    }
    if (carry > 0) return null
  }
  const bytes = Buffer.alloc(limbs.length * 3)
  for (let limb = 0; limb < limbs.length; limb++) bytes.writeUIntBE(limbs[limb] as number, limb * 3, 3)
  const excess = bytes.length - length
  return bytes.subarray(0, excess).every((byte) => byte === 0) ? bytes.subarray(excess) : null
}

function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer')
}
