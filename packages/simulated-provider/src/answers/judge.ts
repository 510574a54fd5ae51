import { answerKey, drawsFrom, pick } from '../fingerprint.ts'
import type { SimulatedModel } from '../simulated-model.ts'
import type { ChatRequest } from '../wire/chat-request.ts'
import type { Call } from '../wire/reply.ts'
import { readJudgePrompt } from './read-judge-prompt.ts'
import { flawMark, saysNothing, trickMark } from './write-answer-text.ts'

/** True when a judge sees a candidate as flawed. The same candidate in the same prompt gives the same result. */
type Perceive = (candidate: string) => boolean

const asides = [
  'I read the answer twice.',
  'Several points could be argued either way.',
  'It is hard to commit to a view.',
]

/** The reply of a judge: a verdict as one JSON object, or prose from the broken judge. */
export function judge(call: Call, request: ChatRequest): string {
  const text = request.messages.map((message) => message.text).join('\n')
  const prompt = readJudgePrompt(text)
  const { messages: _messages, ...settings } = call.body
  const key = `${answerKey(call.seed, settings)}\n${prompt.frame}\n`
  if (call.model.task === 'judge-broken') return brokenReply(drawsFrom(key + text))
  const { isGullible } = call.model
  const perceive: Perceive = (candidate) => {
    if (saysNothing(candidate)) return true
    if (isGullible && candidate.includes(trickMark)) return false
    return perceivesFlaw(accuracyOf(call), candidate, drawsFrom(key + candidate)())
  }
  if (prompt.kind === 'single') return JSON.stringify(verdictOn(perceive(prompt.candidate)))
  const { first, second } = prompt
  const isBiased = drawsFrom(key + [first, second].toSorted().join('\n'))() < call.model.firstShare
  return JSON.stringify(isBiased ? preference('first', 'it was shown first') : compare(first, second, perceive))
}

function brokenReply(random: () => number): string {
  return `${pick(asides, random())} Let me think about ${pick(['tone', 'accuracy', 'length'], random())} some more.`
}

/** A script can give a judge other error rates than those of its name. */
function accuracyOf({ model, behaviour }: Call): SimulatedModel['accuracy'] {
  return behaviour?.kind === 'judge' ? behaviour : model.accuracy
}

function perceivesFlaw({ tpr, tnr }: SimulatedModel['accuracy'], candidate: string, draw: number): boolean {
  return candidate.includes(flawMark) ? draw < tpr : draw >= tnr
}

function verdictOn(flawed: boolean) {
  return flawed
    ? { verdict: 'FAIL', explanation: 'The answer contains a mistake.' }
    : { verdict: 'PASS', explanation: 'The answer holds up.' }
}

/** Prefers the answer that seems sound. A tie is decided by the contents, not by the order. */
function compare(first: string, second: string, perceive: Perceive) {
  if (first === second) return preference('tie', 'the answers are the same')
  const flaws = [perceive(first), perceive(second)]
  if (flaws[0] !== flaws[1]) return preference(flaws[0] ? 'second' : 'first', 'the other one contains a mistake')
  return preference(drawsFrom(first)() > drawsFrom(second)() ? 'first' : 'second', 'it reads better')
}

function preference(winner: 'first' | 'second' | 'tie', explanation: string) {
  return { winner, explanation }
}
