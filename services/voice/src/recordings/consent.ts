import { baseLanguage } from '@ratchet/contracts/voice/languages'
import type { Turn } from '../engine/call-events.ts'

/** Whether a caller who was asked may be recorded. */
export type Consent = 'waiting' | 'granted' | 'refused'

/** A caller may ask back once; after that, no answer is a refusal. */
const maxAnswers = 2
/** In an answer that goes on with something else, the yes comes first. */
const leadingWords = 4

interface Words {
  readonly yes: RegExp
  readonly no: RegExp
}

const anyOf = (phrases: string): RegExp => new RegExp(`(?:^| )(?:${phrases.replaceAll(', ', '|')})(?= |$)`, 'u')

/** By the language's first subtag. A refusal anywhere in an answer counts. */
const words: Readonly<Record<string, Words>> = {
  en: {
    yes: anyOf(
      "yes, yeah, yep, yup, sure, okay, ok, of course, certainly, absolutely, fine, that's fine, go ahead, you may, you can, please do, i agree, i do, no problem, all right, alright",
    ),
    no: anyOf("no, nope, not, don't, do not, never, rather not, won't, wouldn't, can't, refuse, disagree"),
  },
  de: {
    yes: anyOf(
      'ja, jawohl, klar, okay, ok, gern, gerne, natürlich, sicher, selbstverständlich, in ordnung, einverstanden, meinetwegen, von mir aus, kein problem, passt',
    ),
    no: anyOf('nein, nee, ne, nicht, kein, keine, keinesfalls, niemals, lieber nicht, ungern'),
  },
  es: {
    yes: anyOf(
      'sí, si, claro, vale, ok, okay, bueno, de acuerdo, por supuesto, desde luego, adelante, está bien, sin problema, acepto',
    ),
    no: anyOf('no, nunca, jamás, tampoco, prefiero que no, rechazo'),
  },
  fr: {
    yes: anyOf(
      "oui, ouais, ok, okay, d'accord, bien sûr, certainement, volontiers, allez-y, pas de problème, pas de souci, j'accepte, entendu",
    ),
    no: anyOf('non, pas, jamais, aucunement, refuse'),
  },
}
/** What is a yes although it has a word of refusal. */
const yesAll = anyOf(
  'no problem, kein problem, sin problema, pas de problème, pas de souci, why not, warum nicht, por qué no, pourquoi pas',
)

/** Languages whose answers are understood, as first subtags of BCP 47. */
export const consentLanguages: ReadonlySet<string> = new Set(Object.keys(words))

/**
 * What the answers of the caller say to the question whether the call may be recorded, which is a part of the first message. An answer
 * that is neither a clear yes nor a clear no is none.
 *
 * @param turns of the call so far
 */
export function consentOf(turns: readonly Pick<Turn, 'role' | 'text' | 'isInterrupted'>[], language: string): Consent {
  const asked = turns.findIndex(({ role }) => role === 'agent')
  // A worker that died in the middle of its question has not asked it.
  if (asked < 0 || turns[asked]?.isInterrupted === true) return 'waiting'
  const answers = turns.slice(asked + 1).filter(({ role }) => role === 'caller')
  for (const { text } of answers.slice(0, maxAnswers)) {
    const answer = answerIn(text, language)
    if (answer !== null) return answer
  }
  return answers.length < maxAnswers ? 'waiting' : 'refused'
}

function answerIn(text: string, language: string): 'granted' | 'refused' | null {
  const { yes, no } = words[baseLanguage(language)] ?? { yes: /$^/, no: /$^/ }
  const spoken = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^\p{L}\p{N}' -]+/gu, ' ')
    .trim()
    .split(/\s+/)
  const all = spoken.join(' ')
  if (no.test(all.replace(yesAll, ' '))) return 'refused'
  if (yesAll.test(all)) return 'granted'
  return yes.test(spoken.slice(0, leadingWords).join(' ')) ? 'granted' : null
}
