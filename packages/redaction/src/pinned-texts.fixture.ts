import { seededRandom } from '@ratchet/testing/seeded-random'
import gitleaks from './patterns/gitleaks.json' with { type: 'json' }
import { lookAlikes } from './secrets/look-alikes.fixture.ts'
import { pick } from './secrets/recipe-parts.fixture.ts'
import { secretRecipes } from './secrets/secrets.fixture.ts'

const alnum = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const prefixes = [...gitleaks.tokens.flatMap((token) => token.prefixes), 'sk-', 'ghp_', 'AKIA', 'eyJ', 'xoxb-', 'pat']
const names =
  'api_key,apiKey,API key prod,password,Pw,psk,token,page token,linear_key,AccountKey,twilio_token,secret id,sig,value,Authorization,identified by,contrasena,密码,keykey,key2,the,is,secretary'.split(
    ',',
  )
const signs = [
  ...['=', ': ', ':', ' ', '  ', ' is ', '=>', ':=', '":"', ' "', '|', ' | ', '>', '：', '=\n', ': |\n  ', ':\r\n'],
  ...['\\": \\"', '\\u003d', '%3D', '&#61;', '=&quot;', '~', ' --', ': Bearer ', ' Basic ', '** ', '=b"', '\t'],
]
const marks = [
  ...['-----BEGIN RSA PRIVATE KEY-----\n', '-----END ', '://u:p@', 'https://ann:secret1@host/', '-u user:pa55word '],
  ...['--token ', 'Q~', '.atlasv1.', '-us12', '12345678:', 'is ', '\\', '\\n', '%22', '&amp;', '\0', '\n', '\ud800'],
  ...['\udc00', '🔑', 'é', '"', "'", '`', '<', '(', ',', ';', '.', '-', '_', '$', ' '],
]

/** How many texts {@link pinnedTexts} makes of one seed. */
const textCount = 250

/**
 * Texts of parts of secrets, of what surrounds them, and of what resembles them, always the same for a seed. What
 * redaction makes of them is pinned.
 */
export function pinnedTexts(seed: number): readonly string[] {
  const random = seededRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const value = () =>
    pick(random, oneOf([alnum, '0123456789abcdef', `${alnum}-_`, `${alnum}+/=`, `${alnum}!@#$%`]), below(44))
  const secret = () => oneOf(secretRecipes).make(random).text
  const parts: readonly (() => string)[] = [
    () => oneOf(names) + oneOf(signs) + value(),
    () => oneOf(names) + oneOf(signs) + value(),
    secret,
    () => secret().slice(below(20)),
    () => secret().slice(0, below(60)),
    () => oneOf(prefixes) + value(),
    () => oneOf(marks),
    () => oneOf(marks).repeat(below(20)),
    () => oneOf(lookAlikes),
    () => oneOf(names),
    value,
    () => String.fromCharCode(below(0x10000)),
  ]
  const wrappings: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => JSON.stringify(text),
    (text) => JSON.stringify([JSON.stringify({ text, password: text })]),
    (text) => encodeURIComponent(text.toWellFormed()),
    (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  ]
  return Array.from({ length: textCount }, () => {
    const text = Array.from({ length: 1 + below(9) }, () => oneOf(parts)() + oneOf(['', ' '])).join('')
    return random() < 0.7 ? text : oneOf(wrappings)(text)
  })
}
