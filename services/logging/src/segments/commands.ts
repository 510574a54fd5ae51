import { ADVERBIALS, ARTICLES, AUXILIARIES, CONJUNCTIONS, SUBJECTS } from './function-words.ts'
import { ANSWER_VERBS, STARTERS } from './lexicon.ts'
import type { Unit, Word } from './prompt-piece.ts'
import { CJK_INSTRUCTIONS, FIRST_WORDS, IMPERATIVES, KOREAN_INSTRUCTION, POLITE_FRENCH } from './task-lexicon.ts'

/** `CREATE TABLE invoices (…)` describes data, although it begins like an instruction. */
export function isDefinition({ words }: Pick<Unit, 'words'>): boolean {
  return words[0]?.text === 'create' && ['table', 'view', 'type', 'temporary'].includes(words[1]?.text ?? '')
}

/** True when a unit begins like an instruction. */
export function commands({ words }: Pick<Unit, 'words'>): boolean {
  const first = words[0]?.text ?? ''
  if (first.charCodeAt(0) >= 0x3040 && first.charCodeAt(0) <= 0x9fff) {
    const text = words.map((word) => word.text).join('')
    return CJK_INSTRUCTIONS.some((part) => text.includes(part))
  }
  if (isDefinition({ words })) return false
  if (KOREAN_INSTRUCTION.test(words.at(-1)?.text ?? '')) return true
  if (words[0]?.capital === true && (FIRST_WORDS.has(first) || takesObject(words))) return true
  return STARTERS.has(first) || ANSWER_VERBS.has(first) || IMPERATIVES.has(first) || POLITE_FRENCH.test(first)
}

/** `Prepare the report`: in English, only a verb stands before an article at the beginning of a sentence. */
function takesObject([first, second, third]: readonly Word[]): boolean {
  if (first === undefined || third === undefined || !ARTICLES.has(second?.text ?? '')) return false
  const isOther = [SUBJECTS, ADVERBIALS, AUXILIARIES, CONJUNCTIONS].some((others) => others.has(first.text))
  return !isOther && /^[a-z]{2,}(?<!s|ed|ing|ly)$/.test(first.text)
}

/** True when a unit may command something at another place than its beginning: `At the end, ask for the number.` */
export function mayCommand({ words }: Pick<Unit, 'words'>): boolean {
  return words.some(
    ({ text }) => ANSWER_VERBS.has(text) || IMPERATIVES.has(text) || FIRST_WORDS.has(text) || STARTERS.has(text),
  )
}
