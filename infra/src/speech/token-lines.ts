/** From here on, a length has two bytes. */
const twoBytes = 128

/**
 * The tokens of a `tokenizer.bin`, one a line as `sherpa-onnx` reads them: base64, because tokens may have spaces, and the number.
 *
 * @throws RangeError for a file that ends inside a token
 */
export function tokenLines(bytes: Buffer): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; ) {
    let length = bytes.readUInt8(at++)
    if (length >= twoBytes) length += twoBytes * (bytes.readUInt8(at++) - 1)
    if (at + length > bytes.length) throw new RangeError('the file ends inside a token')
    lines.push(`${bytes.toString('base64', at, at + length)} ${lines.length}\n`)
    at += length
  }
  return lines.join('')
}
