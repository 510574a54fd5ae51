/** Whether a text is the Base64 of `name:password`, both printable: what follows `Basic` in a header. */
export function isBasicCredential(text: string): boolean {
  const decoded = Buffer.from(text, 'base64').toString('utf8')
  return decoded.indexOf(':') >= 0 && decoded.length >= 4 && /^[\x20-\x7e\u00a1-\ud7ff]+$/.test(decoded)
}
