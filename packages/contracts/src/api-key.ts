/** The characters of the random part and of the checksum. */
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Number of random characters in a key: 190 bits. */
export const keyRandomLength = 32
const checksumLength = 6

/** Number of characters of a key that people can see. */
export const keyDisplayLength = 12

/**
 * Builds a key from random bytes: `sk_svc_` + 32 base62 characters + a 6-character checksum.
 *
 * @param randomBytes returns uniform bytes 0..255 and is called as often as needed; bytes beyond the last multiple of
 *   62 are discarded, so that every character has the same probability
 */
export function mintApiKey(prefix: string, randomBytes: (count: number) => Uint8Array): string {
  let random = ''
  while (random.length < keyRandomLength) {
    for (const byte of randomBytes(keyRandomLength)) {
      if (byte < 248 && random.length < keyRandomLength) random += base62[byte % 62]
    }
  }
  return prefix + random + checksum(prefix + random)
}

/**
 * True when a text has the shape and checksum of a key, so that other texts cost no database read. It does not show
 * that the key is valid.
 */
export function isWellFormedApiKey(prefix: string, key: string): boolean {
  const body = prefix.length + keyRandomLength
  if (key.length !== body + checksumLength || !key.startsWith(prefix)) return false
  // The checksum uses only the low byte of each character.
  if (!/^[0-9A-Za-z]+$/.test(key.slice(prefix.length))) return false
  return checksum(key.slice(0, body)) === key.slice(body)
}

/** The CRC-32 (IEEE 802.3) of the text in six base62 digits. */
function checksum(text: string): string {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc = (crcTable[(crc ^ text.charCodeAt(i)) & 0xff] ?? 0) ^ (crc >>> 8)
  }
  let rest = (crc ^ 0xffffffff) >>> 0
  let digits = ''
  for (let i = 0; i < checksumLength; i++) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value >>> 0
})
