import { seededRandom } from '@ratchet/testing/seeded-random'

/** Ordinary prose, or words like those around and in secrets, which redaction has to examine one by one. */
export type PromptWords = 'prose' | 'secrets'

const seed = 20_261_101

const proseWords =
  'the of and to in is that it was for on are as with his they at be this have from or one had by word but not what all were we when your can said there use an each which she do how their if will up other about out many then them these so some her would make like him into time has look two more write go see number no way could people my than first water been call who oil its now find long down day did get come made may part over new sound take only little work know place year live me back give most very after thing our just name good sentence man think say great where help through much before line right too mean old any same tell boy follow came want show also around form three small set put end does another well large must big even such because turn here why ask went men read need land different home us move try kind hand picture again change off play spell air away animal house point page letter mother answer found study still learn should world'.split(
    ' ',
  )

const secretWords =
  'api key token secret password credential bearer authorization access_key client_secret private_key api_key auth session cookie signature passphrase refresh_token id_token webhook_secret'.split(
    ' ',
  )

/**
 * Text of this many bytes, always the same. Words come with the frequencies of natural language, so that neither a cache
 * of words nor one that compares texts sees a single repeated sentence.
 */
export function promptText(words: PromptWords, bytes: number): string {
  const random = seededRandom(seed)
  const next = words === 'prose' ? () => proseWord(random) : () => secretWord(random)
  const sentences: string[] = []
  for (let length = 0; length < bytes; ) {
    const sentence = sentenceOf(next, random)
    sentences.push(sentence)
    length += sentence.length + 1
  }
  return sentences.join(' ').slice(0, bytes)
}

function sentenceOf(next: () => string, random: () => number): string {
  const words = Array.from({ length: 6 + Math.floor(random() * 14) }, next)
  const text = words.join(' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** A word of rank r comes about r⁻¹ times as often as the first (Zipf's law). */
function proseWord(random: () => number): string {
  const rank = Math.floor(proseWords.length ** random())
  return proseWords[rank - 1] ?? 'the'
}

/** A third are names of secrets, a tenth values that look like one, the others prose. */
function secretWord(random: () => number): string {
  const kind = random()
  if (kind < 0.33) return secretWords[Math.floor(random() * secretWords.length)] ?? 'key'
  if (kind < 0.43) return `${secretWords[Math.floor(random() * secretWords.length)] ?? 'key'}=${randomValue(random)}`
  return proseWord(random)
}

function randomValue(random: () => number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
  const length = 16 + Math.floor(random() * 32)
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')
}
