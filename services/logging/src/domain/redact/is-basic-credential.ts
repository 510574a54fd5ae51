const equalsSign = 0x3d

/** Whether a text is the Base64 of `name:password`, both printable: what follows `Basic` in a header. */
export function isBasicCredential(text: string): boolean {
  if (!beginsPrintable(text)) return false
  const decoded = Buffer.from(text, 'base64').toString('utf8')
  return decoded.indexOf(':') >= 0 && decoded.length >= 4 && /^[\x20-\x7e\u00a1-\ud7ff]+$/.test(decoded)
}

/** Whether the first byte may begin a printable character; most words that follow `Basic` in prose fail this. */
function beginsPrintable(text: string): boolean {
  if (text.charCodeAt(0) === equalsSign || text.charCodeAt(1) === equalsSign) return true
  const byte = (sextetOf(text.charCodeAt(0)) << 2) | (sextetOf(text.charCodeAt(1)) >> 4)
  return byte < 0x80 ? byte >= 0x20 && byte !== 0x7f : byte >= 0xc2 && byte < 0xf0
}

/** The six bits that a character of Base64 stands for. */
function sextetOf(code: number): number {
  if (code >= 0x61) return code - 0x61 + 26
  if (code >= 0x41) return code - 0x41
  if (code >= 0x30) return code - 0x30 + 52
  return code === 0x2b ? 62 : 63
}
