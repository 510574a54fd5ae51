/** Words of a text, between white space. Makes no list of them, which would take much memory. */
export function countWords(text: string): number {
  let count = 0
  let isInWord = false
  for (let at = 0; at < text.length; at += 1) {
    const isSpace = isWhiteSpace(text.charCodeAt(at))
    if (!isSpace && !isInWord) count += 1
    isInWord = !isSpace
  }
  return count
}

/** Characters of a text, as Unicode counts them. */
export function countCharacters(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    if ((text.codePointAt(at) ?? 0) > 0xff_ff) at += 1
    count += 1
  }
  return count
}

const others = /\s/

/** As `\s` has it. */
function isWhiteSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
  return others.test(String.fromCharCode(unit))
}
