const digits = 'abcdefghijklmnopqrstuvwxyz234567'
const randomDigits = 6
const maxLength = 40

/**
 * The key of an endpoint in the names of requests: letters, digits and dashes of its name, and six random characters.
 *
 * @param random at least 4 random bytes
 * @example routingKey('Support (EU)', bytes) // 'support-eu-k3m7q2'
 */
export function routingKey(name: string, random: Uint8Array): string {
  const words = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  const stem = (words.join('-') || 'endpoint').slice(0, maxLength - randomDigits - 1).replace(/-$/, '')
  const bits = random.slice(0, 4).reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
  const suffix = Array.from({ length: randomDigits }, (_, index) => digits[Number((bits >> BigInt(5 * index)) & 31n)])
  return `${stem}-${suffix.join('')}`
}
