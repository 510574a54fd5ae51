/** What a text costs beyond its own characters. */
const costOfText = 16
/** How far before the limit a good place to cut is looked for. */
const lookBack = 1_024

/**
 * The texts in batches of about `length` UTF-16 units, each made only when it is asked for. A text that is longer is
 * cut, before a blank that follows something else if there is one near: no token of OpenAI's vocabularies reaches
 * over that place, so the parts have as many tokens as the whole. A cut elsewhere adds a token or two; characters are
 * never torn apart.
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
