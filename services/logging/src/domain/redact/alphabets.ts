/** A set of ASCII characters that can be asked in constant time. Nothing outside ASCII is ever a member. */
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

/** Every alphabet a secret is spelled in. */
export const alphabets = {
  digits: alphabet(digits),
  hex: alphabet(`${digits}abcdefABCDEF`),
  bech32: alphabet('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'),
  upperAlnum: alphabet(digits + upper),
  alnum: alphabet(digits + letters),
  word: alphabet(`${digits + letters}_`),
  dashed: alphabet(`${digits + letters}_-`),
  dotted: alphabet(`${digits + letters}_-.`),
  path: alphabet(`${digits + letters}_-./%`),
  urlPath: alphabet(`${digits + letters}_-./%@`),
  base64: alphabet(`${digits + letters}+/=`),
  azure: alphabet(`${digits + letters}_-.~`),
  bearer: alphabet(`${digits + letters}-._~+/=:%`),
  /** What an assigned value without quotes is made of. */
  bare: alphabet(visible, '"\'`\\<>;'),
  /** What stands between `//` and the path of a URL, and a little more: a password may hold a `/`. */
  authority: alphabet(visible, '"\'`\\<>'),
} as const

/** How many alphabets there are: the size of a table by `Alphabet.id`. */
export const alphabetCount: number = count

/** Whether the character is a letter or digit of ASCII. */
export function isAlnum(code: number): boolean {
  return code < 128 && alphabets.alnum.members[code] === 1
}
