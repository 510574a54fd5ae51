import type { AssignedKind } from './secret-span.ts'

/** What the name of a variable, field, header or flag says of its value. */
export interface SecretName {
  readonly kind: AssignedKind
  /** People choose passwords themselves, so less randomness is asked of them. */
  readonly password: boolean
}

const passwordEnding = /(?:password|passwd|passphrase|passcode|passwort|kennwort|contrasena|senha)$/
const passwords = new Set(['pass', 'pwd', 'pw', 'psk', 'userpwd'])
const secretEnding =
  /(?:secret|apikey|secretkey|accesskey|privatekey|authkey|accountkey|signingkey|encryptionkey|token|credential|credentials|creds)$/
/** What stands before `key` when the key is a secret. Primary, cache, sort and object keys are none. */
const keyOwners = new Set(
  `access account admin aes api app application auth aws client consumer crypto decryption deploy encryption hmac jwt
  license management master private root secret service session shared signing ssh storage subscription webhook
  anthropic azure cloudflare cohere datadog deepseek gemini google groq heroku huggingface mailgun mistral openai
  openrouter sendgrid shopify stripe supabase twilio`.split(/\s+/),
)
/** What stands before `token` when the token is part of a text or a place in a list. */
const plainTokens = new Set(
  'page next cursor continuation sync pagination eos bos pad unk cls sep mask stop special start end first last prev previous max min per'.split(
    ' ',
  ),
)
/** What is put behind a name to tell one deployment, spelling or version from another. */
const trailing = new Set(
  'prod production live test testing dev development staging stage sandbox value string text b base old new current primary secondary v'.split(
    ' ',
  ),
)
const brands: Readonly<Record<string, AssignedKind>> = {
  heroku: 'heroku_key',
  twilio: 'twilio_key',
  cloudflare: 'cloudflare_token',
}
const foreignNames = ['密码', '密碼', '口令', '密钥', '密鑰', '令牌', 'パスワード', '비밀번호', 'пароль', 'Пароль']

/** @param name the end of the text before the value, at most some words; null when it names no secret. */
export function readSecretName(name: string): SecretName | null {
  if (name.charCodeAt(name.length - 1) > 127 && foreignNames.some((foreign) => name.endsWith(foreign)))
    return { kind: 'password', password: true }
  const words = wordsOf(name)
  while (words.length > 1 && trailing.has(words.at(-1) ?? '')) words.pop()
  const last = words.at(-1)
  if (last === undefined) return null
  const before = words.at(-2) ?? ''
  if (passwordEnding.test(last) || passwords.has(last)) return { kind: 'password', password: true }
  if (last === 'authorization') return { kind: 'authorization', password: false }
  if (last === 'sig' || (last === 'signature' && before === 'goog')) return { kind: 'azure_sas', password: false }
  if (last === 'by' && before === 'identified') return { kind: 'password', password: true }
  if (!isSecret(last, before)) return null
  return { kind: kindOf(words, last, before), password: false }
}

function isSecret(last: string, before: string): boolean {
  if (last === 'key') return keyOwners.has(before)
  if (last === 'id') return before === 'secret'
  if (last.endsWith('token') && plainTokens.has(before)) return false
  return last === 'auth' || secretEnding.test(last)
}

function kindOf(words: readonly string[], last: string, before: string): AssignedKind {
  if (`${before}${last}`.endsWith('accountkey') || words.slice(-3).join('').endsWith('sharedaccesskey'))
    return 'azure_storage_key'
  if (words.includes('azure') && words.includes('storage')) return 'azure_storage_key'
  if (words.includes('aws') || words.slice(-3).join('') === 'secretaccesskey') return 'aws_secret_key'
  for (const word of words) if (Object.hasOwn(brands, word)) return brands[word] ?? 'secret'
  return 'secret'
}

/** In lower case, cut at punctuation and where the case rises; numbers are dropped, also those behind a word. */
function wordsOf(name: string): string[] {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return spaced.match(/[a-z][a-z0-9]*/g)?.map(withoutNumber) ?? []
}

function withoutNumber(word: string): string {
  let end = word.length
  while (end > 1 && word.charCodeAt(end - 1) <= 57) end--
  return word.slice(0, end)
}
