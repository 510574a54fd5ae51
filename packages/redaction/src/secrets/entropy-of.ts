/** Characters whose entropy is measured. The limit bounds the work. */
const measuredLength = 100

/** Shannon entropy of the characters of an ASCII text, in bits for each character. */
export function entropyOf(text: string): number {
  const counts = new Uint8Array(128)
  const length = Math.min(text.length, measuredLength)
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    counts[code] = (counts[code] ?? 0) + 1
  }
  let entropy = 0
  for (const count of counts) {
    const share = count / length
    if (share > 0) entropy -= share * Math.log2(share)
  }
  return entropy
}
