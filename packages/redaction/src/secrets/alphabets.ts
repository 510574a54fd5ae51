/** A set of ASCII characters with a constant-time membership test. Other characters are never members. */
export interface Alphabet {
  readonly id: number
  readonly members: Uint8Array
}

const digits = '0123456789'
const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
const letters = lower + upper
const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('')

let count = 0

function alphabet(members: string, except = ''): Alphabet {
  const table = new Uint8Array(128)
  for (const member of members) if (!except.includes(member)) table[member.charCodeAt(0)] = 1
  return { id: count++, members: table }
}

/** The alphabets in which secrets are written. */
export const alphabets = {
  digits: alphabet(digits),
  hex: alphabet(`${digits}abcdefABCDEF`),
  upperAlnum: alphabet(digits + upper),
  alnum: alphabet(digits + letters),
  word: alphabet(`${digits + letters}_`),
  dashed: alphabet(`${digits + letters}_-`),
  dotted: alphabet(`${digits + letters}_-.`),
  padded: alphabet(`${digits + letters}_-.=`),
  path: alphabet(`${digits + letters}_-./%`),
  urlPath: alphabet(`${digits + letters}_-./%@`),
  base64: alphabet(`${digits + letters}+/=`),
  /** Base64 with the characters of either standard. */
  anyBase64: alphabet(`${digits + letters}+/=_-`),
  azure: alphabet(`${digits + letters}_-.~`),
  bearer: alphabet(`${digits + letters}-._~+/=:%`),
  /** Characters of an assigned value without quotes. */
  bare: alphabet(visible, '"\'`\\<>;'),
  /** Characters between `//` and the path of a URL, and `/`, which an unescaped password may contain. */
  authority: alphabet(visible, '"\'`\\<>'),
} as const

/** The number of alphabets, which is the size of a table by `Alphabet.id`. */
export const alphabetCount: number = count

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** True for ASCII letters and digits. */
export function isAlnum(code: number): boolean {
  return code < 128 && alphabets.alnum.members[code] === 1
}
