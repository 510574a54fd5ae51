import type { ChatBody, Scripted, ScriptedInference } from '@ratchet/judge-kit/fleet/scripted-inference.fixture'
import { scriptedInference } from '@ratchet/judge-kit/fleet/scripted-inference.fixture'
import { createCompareAnswers } from '../judging/compare-answers.ts'
import { createLookAtPair } from '../judging/judge-pair.ts'
import { createAnswerSample } from './answer-sample.ts'
import { evaluateSample } from './evaluate-sample.ts'
import type { KeptAnswer, KeptLook, LeasedSample, OthersUnderWay, SampleEnd } from './sample.ts'

export const judgeModel = 'sim/judge'

/** What each model answers to anything: its name. */
export function nameOf(model: string): string {
  return `I am ${model}.`
}

export function verdict(winner: 'first' | 'second' | 'tie'): string {
  return JSON.stringify({ explanation: 'Because.', winner })
}

/** A judge that prefers the answer of this model, wherever it stands. */
export function preferring(model: string): (body: ChatBody) => string {
  return ({ messages }) => {
    const shown = messages.at(-1)?.content ?? ''
    const [first = '', second = ''] = shown.split(/<<second \w+>>/)
    if (!shown.includes(nameOf(model))) return verdict('tie')
    return verdict(second.includes(nameOf(model)) && !first.includes(nameOf(model)) ? 'second' : 'first')
  }
}

type Says = Scripted | ((body: ChatBody, asked: number) => Scripted)

/**
 * Models that say their names, and a judge that sees no difference, but for what is given here by the model's name:
 * what it says, or how it says it, with how often it was asked before.
 */
export function modelsThatSay(script: Readonly<Record<string, Says>> = {}): ScriptedInference {
  const times = new Map<string, number>()
  return scriptedInference({
    answer(body) {
      const { model } = body
      const asked = times.get(model) ?? 0
      times.set(model, asked + 1)
      const says = script[model] ?? (model === judgeModel ? verdict('tie') : nameOf(model))
      return typeof says === 'function' ? says(body, asked) : says
    },
  })
}

/** What an evaluation asks models and the judge with. */
export function askingWith(inference: ScriptedInference) {
  const now = () => new Date('2026-11-21T12:00:00Z')
  return {
    answerSample: createAnswerSample({ inference, now }),
    lookAtPair: createLookAtPair(createCompareAnswers({ inference, now })),
  }
}

export interface CapAround {
  readonly others?: () => OthersUnderWay
  readonly countOverCap?: () => number
}

export interface Evaluating {
  /** What was kept so far. */
  readonly answers: readonly KeptAnswer[]
  readonly looks: readonly KeptLook[]
  /** Evaluates the sample with what was kept so far, after so many failures. */
  attempt(failures?: number): Promise<SampleEnd>
}

const nobody = { hasAny: false, hasEarlier: false }

/** A sample that is evaluated, again and again if need be. What comes of it is kept in memory. */
export function evaluating(sample: LeasedSample, inference: ScriptedInference, cap: CapAround = {}): Evaluating {
  const { others = () => nobody, countOverCap = () => 0 } = cap
  const [answers, looks] = [[...sample.answers], [...sample.looks]]
  const samples = {
    keepAnswer: async (_of: unknown, answer: KeptAnswer) => void answers.push(answer),
    keepLook: async (_of: unknown, look: KeptLook) => keep(looks, look),
    othersUnderWay: async () => others(),
    countOverCap: async () => countOverCap(),
  }
  const deps = { samples, ...askingWith(inference) }
  return {
    ...{ answers, looks },
    attempt: (failures = 0) => evaluateSample(deps, { ...sample, failures, answers: [...answers], looks: [...looks] }),
  }
}

/** As the store does: an unfinished look is replaced, any other one stays. */
function keep(looks: KeptLook[], look: KeptLook): void {
  const place = looks.findIndex(
    ({ candidateIndex, isSwapped }) => candidateIndex === look.candidateIndex && isSwapped === look.isSwapped,
  )
  if (place === -1) looks.push(look)
  else if (looks[place]?.failure === 'unfinished') looks[place] = look
}
