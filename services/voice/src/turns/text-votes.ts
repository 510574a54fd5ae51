import { baseLanguage } from '@ratchet/contracts/voice/languages'

/** What the caller's words so far say about whether the turn is over. */
export type TextVote = 'ended' | 'open' | 'dictating' | 'none'

interface Endings {
  /** Articles, conjunctions and fillers: nothing ends with them, also where the recognizer writes a full stop. */
  readonly always: ReadonlySet<string>
  /** Something usually follows, unless the recognizer writes a full stop. */
  readonly usually: ReadonlySet<string>
}

const endings = (always: string, usually: string): Endings => ({
  always: new Set(always.split(' ')),
  usually: new Set(usually.split(' ')),
})

/** Words after which a speaker goes on, by the language's first subtag. Add a language with a row. */
const openEndings: Readonly<Record<string, Endings>> = {
  en: endings(
    'a an the and or but because if my your um uh er erm',
    'so when that which who our their his her its to of for with from in on at by like well is are was were',
  ),
  de: endings(
    'der die das dem den ein eine einen einem einer und oder aber weil wenn dass mein meine äh ähm also',
    'ihr ihre zu von für mit aus in auf an bei ist sind war',
  ),
  es: endings(
    'el la los las un una y o pero porque mi su eh este',
    'si cuando que a de para con desde en por pues es son',
  ),
  fr: endings(
    'le la les un une des et ou mais ma mon mes euh',
    'si quand que votre à de pour avec dans sur par donc est sont',
  ),
}

/** Words that only show that one listens, by the language's first subtag. */
const backchannels: Readonly<Record<string, readonly string[]>> = {
  en: ['yeah', 'yes', 'yep', 'mhm', 'mm', 'hmm', 'uh-huh', 'okay', 'ok', 'right', 'sure', 'i see', 'got it', 'alright'],
  de: ['ja', 'mhm', 'hm', 'okay', 'ok', 'genau', 'gut', 'alles klar', 'verstehe'],
  es: ['sí', 'si', 'ajá', 'mhm', 'ok', 'vale', 'claro', 'entiendo', 'bueno'],
  fr: ['oui', 'ouais', 'mhm', 'hm', 'ok', "d'accord", 'je vois', 'bien sûr'],
}

/** Most words of which a text that is spelled or dictated consists, such as the digits of a number. */
const maxSpelledLength = 1

/**
 * How a text ends.
 *
 * @param text what was recognized of the turn so far
 * @param language a BCP 47 tag; one without a row here has votes from punctuation and digits only
 */
export function textVote(text: string, language: string): TextVote {
  const trimmed = text.trim()
  if (trimmed === '') return 'none'
  const last = wordsOf(trimmed).at(-1) ?? ''
  if (/\d$/.test(last) || /\p{L}/u.test(last) === false || isSpelled(last, language)) return 'dictating'
  if (/(?:\.\.\.|…|[,;:–-])$/.test(trimmed)) return 'open'
  const open = openEndings[baseLanguage(language)]
  if (open?.always.has(last)) return 'open'
  if (/[.!?]$/.test(trimmed)) return 'ended'
  return open?.usually.has(last) ? 'open' : 'none'
}

/**
 * Whether a text has nothing but signs of listening, so that the agent may go on.
 *
 * @param own further ones of the agent
 */
export function isBackchannel(text: string, language: string, own: readonly string[] = []): boolean {
  const known = [...own.map((each) => wordsOf(each).join(' ')), ...(backchannels[baseLanguage(language)] ?? [])]
  let rest = wordsOf(text).join(' ')
  if (rest === '') return false
  while (rest !== '') {
    const found = known.find((each) => each !== '' && (rest === each || rest.startsWith(`${each} `)))
    if (found === undefined) return false
    rest = rest.slice(found.length).trim()
  }
  return true
}

/** Lower case, without punctuation at both ends of words. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]/u, '').replace(/[^\p{L}\p{N}]{1,3}$/u, ''))
    .filter(Boolean)
}

/** A single letter, other than a word of one letter. */
function isSpelled(word: string, language: string): boolean {
  if ([...word].length > maxSpelledLength) return false
  const open = openEndings[baseLanguage(language)]
  return open?.always.has(word) !== true && open?.usually.has(word) !== true && word !== 'i'
}
