import { pick } from '../fingerprint.ts'
import { contentWords } from './content-words.ts'

/** The mark of a flawed answer: an answer is flawed if and only if it contains this. */
export const flawMark = '(flawed)'

/** A gullible judge takes every answer that contains this for a sound one. */
export const trickMark = '(as every expert agrees)'

/** Whether an answer is only punctuation, or the beginning of an answer. Every judge sees that as flawed. */
export function saysNothing(answer: string): boolean {
  const words = answer.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []
  return words.length === 0 || beginnings.has(words.join(' '))
}

const beginnings: ReadonlySet<string> = new Set([
  ...['thought process', "let's think step by step", "let's solve this problem step by step", 'solution', 'answer'],
  ...['the answer is', 'final answer', 'step 1', 'here is the answer', 'assistant', 'response'],
  ...['explanation', 'reasoning', 'conclusion', 'to answer this question', 'i hope this helps'],
])

type Template = (topic: string, detail: string) => string

const openings: readonly Template[] = [
  (topic, detail) => `The question turns on ${topic}, and ${detail} decides most of it.`,
  (topic, detail) => `In short, ${topic} depends on ${detail}.`,
  (topic, detail) => `Start with ${topic}: it sets the limits for ${detail}.`,
  (topic, detail) => `There are two sides to ${topic}, and ${detail} is the one people forget.`,
  (topic, detail) => `Most of what matters about ${topic} follows from ${detail}.`,
]

const middles: readonly Template[] = [
  (topic, detail) => `Compare ${topic} with ${detail} before you settle on anything.`,
  (topic, detail) => `A change in ${detail} shows up in ${topic} soon after.`,
  (topic) => `Keep a record of ${topic}, because memory is a poor witness.`,
  (topic, detail) => `If ${detail} is unclear, ask for it; guessing at ${topic} costs more later.`,
  (_topic, detail) => `Nothing here replaces a look at ${detail} itself.`,
  (topic, detail) => `People who work with ${topic} every day usually check ${detail} first.`,
]

const endings: readonly Template[] = [
  (topic) => `That is the safe reading of ${topic}.`,
  (_topic, detail) => `Write to us again once ${detail} is settled.`,
  (topic) => `With that, ${topic} should be clear.`,
  (topic, detail) => `So: ${topic} first, ${detail} second.`,
]

/**
 * Writes an answer about the content words of `question`. The mark of a flawed one is at the beginning, so that neither
 * `max_tokens` nor a stop sequence removes it.
 */
export function writeAnswerText(options: {
  question: string
  flawed: boolean
  sentences: readonly [least: number, most: number]
  random: () => number
}): string {
  const { flawed, sentences, random } = options
  const words = contentWords(options.question, 8)
  const topics = words.length > 0 ? words : ['the request']
  const [least, most] = sentences
  const count = least + Math.floor(random() * (most - least + 1))
  const written = Array.from({ length: count }, (_, index) => {
    const templates = index === 0 ? openings : index === count - 1 ? endings : middles
    const topic = pick(topics, random())
    const details = [...topics, 'the context'].filter((word) => word !== topic)
    return pick(templates, random())(topic, pick(details, random()))
  })
  return `${flawed ? `${flawMark} ` : ''}${written.join(' ')}`
}

/** A text of exactly `tokens` tokens, for long streams. */
export function writeLongText(tokens: number): string {
  const phrase = 'one more word of a long and even answer, '
  return phrase.repeat(Math.ceil((tokens * 4) / phrase.length)).slice(0, tokens * 4)
}
