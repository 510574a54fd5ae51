const equalsSign = 0x3d

/** True for the Base64 of a printable `name:password`, as it follows `Basic` in a header. */
export function isBasicCredential(text: string): boolean {
  if (!beginsPrintable(text)) return false
  const decoded = Buffer.from(text, 'base64').toString('utf8')
  return decoded.indexOf(':') >= 0 && decoded.length >= 4 && /^[\x20-\x7e\u00a1-\ud7ff]+$/.test(decoded)
}

/** A cheap first check of the first byte, which most words after `Basic` in prose fail. */
function beginsPrintable(text: string): boolean {
  if (text.charCodeAt(0) === equalsSign || text.charCodeAt(1) === equalsSign) return true
  const byte = (sextetOf(text.charCodeAt(0)) << 2) | (sextetOf(text.charCodeAt(1)) >> 4)
  return byte < 0x80 ? byte >= 0x20 && byte !== 0x7f : byte >= 0xc2 && byte < 0xf0
}

/** The six bits of a Base64 character. */
function sextetOf(code: number): number {
  if (code >= 0x61) return code - 0x61 + 26
  if (code >= 0x41) return code - 0x41
  if (code >= 0x30) return code - 0x30 + 52
  return code === 0x2b ? 62 : 63
}
