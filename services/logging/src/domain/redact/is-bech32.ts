const charset = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

/**
 * Whether lower-case data carries the checksum that Bech32 puts at its end.
 *
 * @param prefix what stands before the separator `1`, in lower case.
 * @see BIP 173
 */
export function isBech32(prefix: string, data: string): boolean {
  const codes = Array.from(prefix, (character) => character.charCodeAt(0))
  const values = Array.from(data, (character) => charset.indexOf(character))
  if (values.includes(-1)) return false
  return polymod([...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...values]) === 1
}

/** The remainder of the values by the generator polynomial of the code. */
export function polymod(values: readonly number[]): number {
  let checksum = 1
  for (const value of values) {
    const top = checksum >>> 25
    checksum = ((checksum & 0x1ffffff) << 5) ^ value
    generators.forEach((generator, bit) => {
      if ((top >>> bit) & 1) checksum ^= generator
    })
  }
  return checksum >>> 0
}
