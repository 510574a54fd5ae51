/** The cost of a text in addition to its characters. */
const costOfText = 16
/** The distance before the limit in which a good position for a cut is searched. */
const lookBack = 1_024

/**
 * The texts in batches of about `length` UTF-16 units, each created on demand. A longer text is cut before a blank that
 * follows another character, if there is one near: no token of OpenAI's vocabularies spans that position, so the parts
 * have as many tokens as the whole. A cut elsewhere adds a token or two. Characters are never split.
 */
export function* sliceTexts(texts: readonly string[], length: number): Generator<readonly string[], void> {
  let batch: string[] = []
  let room = length
  for (const text of texts) {
    for (let from = 0; from < text.length; ) {
      const end = text.length - from <= room ? text.length : cutBefore(text, from + room)
      if (end > from) batch.push(text.slice(from, end))
      room -= end - from + costOfText
      from = end
      if (room > lookBack) continue
      yield batch
      batch = []
      room = length
    }
  }
  if (batch.length > 0) yield batch
}

/** At most `limit`, which is inside the text. */
function cutBefore(text: string, limit: number): number {
  for (let at = limit; at > limit - lookBack; at -= 1) {
    if (text[at] === ' ' && !isSpace(text.charCodeAt(at - 1))) return at
  }
  const tearsPair = (text.charCodeAt(limit) & 0xfc00) === 0xdc00 && (text.charCodeAt(limit - 1) & 0xfc00) === 0xd800
  return tearsPair ? limit - 1 : limit
}

function isSpace(code: number): boolean {
  return code <= 0x20 || (code >= 0x80 && /\s/.test(String.fromCharCode(code)))
}
