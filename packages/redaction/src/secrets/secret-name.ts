import gitleaks from '../patterns/gitleaks.json' with { type: 'json' }
import { isAlnum, isDigit } from './alphabets.ts'
import type { AssignedKind } from './secret-kind.ts'

/** What the name of a variable, field, header or flag reveals about its value. */
export interface SecretName {
  readonly kind: AssignedKind
  /** Passwords are chosen by people, so they need not look as random. */
  readonly password: boolean
  /** The name is also an ordinary word or product, as in `linear_key`, so only a generated value is a secret. */
  readonly mustBeGenerated?: true
  /** The name, when its other words can narrow the kind; otherwise empty. */
  readonly written: string
}

const password: SecretName = { kind: 'password', password: true, written: '' }
const authorization: SecretName = { kind: 'authorization', password: false, written: '' }
const azureSas: SecretName = { kind: 'azure_sas', password: false, written: '' }

const passwordEndings = ['password', 'passwd', 'passphrase', 'passcode', 'passwort', 'kennwort', 'contrasena', 'senha']
const passwords = new Set(['pass', 'pwd', 'pw', 'psk', 'userpwd'])
/** Last words of names of secrets; some, such as `apikey`, are two words written as one. */
const secretEndings = `secret apikey secretkey accesskey privatekey authkey accountkey signingkey encryptionkey token
  credential credentials creds`.split(/\s+/)
const otherEndings = [...secretEndings, 'signature']
/** Words before `key` when the key is a secret. Primary, cache, sort and object keys are not secrets. */
const keyOwners = new Set(
  `access account admin aes api app application auth aws client consumer crypto decryption deploy encryption hmac jwt
  license management master private root secret service session shared signing ssh storage subscription webhook
  anthropic azure cloudflare cohere datadog deepseek gemini google groq heroku huggingface mailgun mistral openai
  openrouter sendgrid shopify stripe supabase twilio`.split(/\s+/),
)
const services = new Set(gitleaks.services.map(({ name }) => name))
/** Words before `token` when the token is a part of a text or a position in a list. */
const plainTokens = new Set(
  'page next cursor continuation sync pagination eos bos pad unk cls sep mask stop special start end first last prev previous max min per'.split(
    ' ',
  ),
)
/** Words behind a name that distinguish a deployment, spelling or version. */
const trailing = new Set(
  'prod production live test testing dev development staging stage sandbox value string text b base old new current primary secondary v'.split(
    ' ',
  ),
)
/** Every word with which the name of a secret may end, before the words of {@link trailingWords}. */
export const nameWords: readonly string[] = [
  ...['authorization', 'sig', 'key', 'id', 'auth', 'by'],
  ...passwords,
  ...passwordEndings,
  ...otherEndings,
]
/** Words that may stand between a name and its value, beside numbers. */
export const trailingWords: readonly string[] = [...trailing]
const brands: Readonly<Record<string, AssignedKind>> = {
  heroku: 'heroku_key',
  twilio: 'twilio_key',
  cloudflare: 'cloudflare_token',
}
const foreignNames = ['密码', '密碼', '口令', '密钥', '密鑰', '令牌', 'パスワード', '비밀번호', 'пароль', 'Пароль']

/** @param name the last few words of the text before the value. @returns null when it does not name a secret */
export function readSecretName(name: string): SecretName | null {
  if (name.charCodeAt(name.length - 1) > 127 && foreignNames.some((foreign) => name.endsWith(foreign))) return password
  const word = lastDistinctive(name)
  if (word === null) return null
  const last = word.text
  if (passwords.has(last) || endsWithAny(last, passwordEndings)) return password
  if (last === 'authorization') return authorization
  if (last === 'sig') return azureSas
  if (!mayNameSecret(last)) return null
  const before = wordBefore(name, word.start)?.text ?? ''
  if (last === 'signature') return before === 'goog' ? azureSas : null
  if (last === 'by') return before === 'identified' ? password : null
  if (!isSecret(last, before)) {
    if (last !== 'key' || !services.has(before)) return null
    return { kind: 'secret', password: false, mustBeGenerated: true, written: name.slice(0, word.end) }
  }
  return { kind: 'secret', password: false, written: name.slice(0, word.end) }
}

/**
 * The exact kind of a secret with this name. The other words of the name are read only now, because few values are
 * secrets.
 */
export function exactKind({ kind, written }: SecretName): AssignedKind {
  if (written === '') return kind
  // Most names are not special, which two expressions show at less cost than their words.
  if (!/[yY]\d*$/.test(written) && !/azure|aws|heroku|twilio|cloudflare/i.test(written)) return 'secret'
  const words: string[] = []
  for (let each = wordBefore(written, written.length); each !== null; each = wordBefore(written, each.start))
    words.unshift(each.text)
  return kindOf(words)
}

/** A word of a name, in lower case and without a number behind it. */
interface Word {
  readonly text: string
  /** Its index range `[start, end)` in the name. */
  readonly start: number
  readonly end: number
}

/** The last word that is not one of {@link trailing}; the first one when all are. */
function lastDistinctive(name: string): Word | null {
  let word = wordBefore(name, name.length)
  while (word !== null && trailing.has(word.text)) {
    const earlier = wordBefore(name, word.start)
    if (earlier === null) break
    word = earlier
  }
  return word
}

/**
 * The last word that ends at or before `end`. Words are split at punctuation and at capitals; numbers are not words.
 */
function wordBefore(name: string, end: number): Word | null {
  for (let at = end; at > 0; ) {
    while (at > 0 && !isAlnum(name.charCodeAt(at - 1))) at--
    let start = at
    while (start > 0 && isAlnum(name.charCodeAt(start - 1)) && !(start < at && risesAt(name, start))) start--
    let first = start
    let last = at
    while (first < last && isDigit(name.charCodeAt(first))) first++
    while (last > first && isDigit(name.charCodeAt(last - 1))) last--
    if (first < last) return { text: name.slice(first, last).toLowerCase(), start, end: at }
    at = start
  }
  return null
}

function risesAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 65 || code > 90) return false
  const before = text.charCodeAt(at - 1)
  return before > 90 || before < 65
}

function mayNameSecret(last: string): boolean {
  return last === 'key' || last === 'id' || last === 'auth' || last === 'by' || endsWithAny(last, otherEndings)
}

function isSecret(last: string, before: string): boolean {
  if (last === 'key') return keyOwners.has(before)
  if (last === 'id') return before === 'secret'
  if (last.endsWith('token') && plainTokens.has(before)) return false
  return last === 'auth' || endsWithAny(last, secretEndings)
}

function endsWithAny(word: string, endings: readonly string[]): boolean {
  for (const ending of endings) if (word.endsWith(ending)) return true
  return false
}

function kindOf(words: readonly string[]): AssignedKind {
  // Most names end in `token` or `secret`, so joining the words is avoided unless the last one can end in `key`.
  const ending = words.at(-1)?.endsWith('y') === true ? words.slice(-3).join('') : ''
  if ((ending !== '' && words.slice(-2).join('').endsWith('accountkey')) || ending.endsWith('sharedaccesskey'))
    return 'azure_storage_key'
  if (words.includes('azure') && words.includes('storage')) return 'azure_storage_key'
  if (words.includes('aws') || ending === 'secretaccesskey') return 'aws_secret_key'
  for (const word of words) if (Object.hasOwn(brands, word)) return brands[word] ?? 'secret'
  return 'secret'
}
