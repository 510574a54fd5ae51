import { alphabets, isDigit } from './alphabets.ts'
import { hasGeneratedPart, isMixed, looksRandom } from './looks-random.ts'
import type { SecretSpan } from './secret-span.ts'
import type { TextView } from './text-view.ts'
import { isWalletKey, walletKeyBeginnings, walletKeyLengths } from './wallet-key.ts'

const { azure, base64, dashed, digits, hex } = alphabets

/** Finds a secret that is recognized by its shape alone. It begins with the word `[at, end)`. */
export function shapedSecretAt(view: TextView, at: number, end: number): SecretSpan | null {
  const { text } = view
  switch (text.charCodeAt(at)) {
    case 0x65: // e
      if (text.startsWith('eyJ', at)) return jwtAt(view, at)
      break
    case 0x4d: // M, N, O: how the Base64 of a number begins
    case 0x4e:
    case 0x4f: {
      const discord = discordAt(view, at)
      if (discord !== null) return discord
    }
  }
  if (end - at === 32) return suffixedHexAt(view, at, end)
  if (walletKeyLengths.has(end - at) && walletKeyBeginnings.has(text.charAt(at)))
    return isWalletKey(text.slice(at, end)) ? { start: at, end, kind: 'wallet_key' } : null
  return end - at === 14 && text.startsWith('.atlasv1.', end) ? terraformAt(view, at, end) : null
}

function terraformAt(view: TextView, at: number, end: number): SecretSpan | null {
  const last = view.runEnd(dashed, end + 9)
  return last - end > 60 ? { start: at, end: last, kind: 'terraform_token' } : null
}

/** Finds `<bot id>:<35 characters>`. The search begins at the colon, because `bot` may stand directly before the id. */
export function telegramAt(view: TextView, colon: number): SecretSpan | null {
  let start = colon
  while (colon - start < 12 && isDigit(view.text.charCodeAt(start - 1))) start--
  if (colon - start < 8 || colon - start > 10) return null
  const end = view.runEnd(dashed, colon + 1)
  if (end - colon - 1 !== 35) return null
  const body = view.text.slice(colon + 1, end)
  return body.startsWith('AA') || looksRandom(body) ? { start, end, kind: 'telegram_token' } : null
}

/** Finds three characters, a digit, `Q~` and about thirty more characters. `tilde` is the index of the tilde. */
export function azureClientSecretAt(view: TextView, tilde: number): SecretSpan | null {
  const start = tilde - 5
  if (start < 0 || view.text.charAt(tilde - 1) !== 'Q' || !isDigit(view.text.charCodeAt(tilde - 2))) return null
  if (view.runEnd(azure, start, 1) < tilde) return null
  const end = view.runEnd(azure, tilde + 1)
  const length = end - tilde - 1
  return length >= 31 && length <= 36 ? { start, end, kind: 'azure_client_secret' } : null
}

/** Finds the secret key of an AWS key pair, which has no prefix: forty characters soon after the access key. */
export function awsSecretAfter(view: TextView, keyEnd: number): SecretSpan | null {
  const limit = Math.min(view.text.length, keyEnd + 160)
  for (let at = keyEnd; at < limit; ) {
    const end = view.runEnd(base64, at, 1)
    const body = end - at === 40 ? view.text.slice(at, end) : ''
    if (isMixed(body) && /[A-Z]/.test(body) && /[a-z]/.test(body)) return { start: at, end, kind: 'aws_secret_key' }
    at = Math.max(end, at + 1)
  }
  return null
}

function jwtAt(view: TextView, at: number): SecretSpan | null {
  const { text } = view
  const header = view.runEnd(dashed, at, 1)
  if (header - at < 10 || text.charAt(header) !== '.') return null
  const payload = view.runEnd(dashed, header + 1, 2)
  const signature = text.charAt(payload) === '.' ? view.runEnd(dashed, payload + 1, 3) : payload
  if (signature - payload < 9 && !(payload - header > 8 && text.startsWith('eyJ', header + 1))) return null
  let end = signature
  for (let part = 4; part <= 5 && text.charAt(end) === '.'; part++) {
    const next = view.runEnd(dashed, end + 1)
    if (next - end < 9) break
    end = next
  }
  return { start: at, end, kind: 'jwt' }
}

/**
 * Finds a token of three parts. The first is the Base64 of the bot's id, a number; in examples it is any text, so parts
 * that look generated are enough.
 */
function discordAt(view: TextView, at: number): SecretSpan | null {
  const { text } = view
  const id = view.runEnd(dashed, at, 1)
  if (id - at < 23 || id - at > 28 || text.charAt(id) !== '.') return null
  const time = view.runEnd(dashed, id + 1, 2)
  if (time - id < 6 || time - id > 8 || text.charAt(time) !== '.') return null
  const end = view.runEnd(dashed, time + 1, 3)
  if (end - time < 28 || end - time > 45) return null
  const decoded = Buffer.from(text.slice(at, id), 'base64').toString('latin1')
  const [first, last] = [text.slice(at, id), text.slice(time + 1, end)]
  const looksGenerated = hasGeneratedPart(last) || (looksRandom(first) && isMixed(last))
  const isToken = /^\d{16,20}$/.test(decoded) || looksGenerated
  return isToken ? { start: at, end, kind: 'discord_token' } : null
}

/** 32 hexadecimal digits are a hash, unless a suffix of one of two mail services follows. */
function suffixedHexAt(view: TextView, at: number, end: number): SecretSpan | null {
  const { text } = view
  if (text.charAt(end) !== '-' || view.runEnd(hex, at) !== end) return null
  if (text.startsWith('-us', end)) {
    const last = view.runEnd(digits, end + 3)
    return last > end + 3 && last <= end + 5 ? { start: at, end: last, kind: 'mailchimp_key' } : null
  }
  const middle = view.runEnd(hex, end + 1)
  const last = view.runEnd(hex, middle + 1)
  if (middle - end !== 9 || text.charAt(middle) !== '-' || last - middle !== 9) return null
  return { start: at, end: last, kind: 'mailgun_key' }
}
