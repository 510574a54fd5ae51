/** Parts of this length are searched, beginning at every fourth byte. A shorter text is no part. */
export const minPartLength = 24
const windowStep = 4
const hashBase = 0x01000193
const slots = 65_536

/**
 * Whether a request contains a part of a short text that is longer than a name, as a body of JSON would write it. It takes one pass
 * over the request, whatever the text: a search for each part would take 120 ms for texts that almost match everywhere.
 */
export function repeatsRequest(text: string, request: Buffer): boolean {
  const searched = Buffer.from(JSON.stringify(text).slice(1, -1))
  const parts = partsOf(searched)
  if (parts.size === 0) return false
  const isPossible = new Uint8Array(slots)
  for (const hash of parts.keys()) isPossible[hash % slots] = 1
  const leaving = powerOf(minPartLength - 1)
  let hash = 0
  for (let end = 0; end < request.length; end++) {
    if (end >= minPartLength) hash = (hash - Math.imul(request[end - minPartLength] ?? 0, leaving)) >>> 0
    hash = (Math.imul(hash, hashBase) + (request[end] ?? 0)) >>> 0
    if (end + 1 < minPartLength || isPossible[hash % slots] === 0) continue
    const start = parts.get(hash)
    if (start !== undefined && isSame(searched, start, request, end + 1 - minPartLength)) return true
  }
  return false
}

/** Where each part begins, by its hash. Of two parts with one hash only the first is searched. */
function partsOf(text: Buffer): Map<number, number> {
  const parts = new Map<number, number>()
  for (let start = 0; start + minPartLength <= text.length; start += windowStep) {
    let hash = 0
    for (let at = start; at < start + minPartLength; at++) hash = (Math.imul(hash, hashBase) + (text[at] ?? 0)) >>> 0
    if (!parts.has(hash)) parts.set(hash, start)
  }
  return parts
}

function powerOf(exponent: number): number {
  let power = 1
  for (let n = 0; n < exponent; n++) power = Math.imul(power, hashBase) >>> 0
  return power
}

function isSame(text: Buffer, textStart: number, request: Buffer, requestStart: number): boolean {
  const textEnd = textStart + minPartLength
  return text.compare(request, requestStart, requestStart + minPartLength, textStart, textEnd) === 0
}
