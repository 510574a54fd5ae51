import { checksWithoutScripts } from '@ratchet/judge-kit/checks/checks.fixture'
import type { ChatBody, Scripted, ScriptedInference } from '@ratchet/judge-kit/fleet/scripted-inference.fixture'
import { scriptedInference } from '@ratchet/judge-kit/fleet/scripted-inference.fixture'
import { createCompareAnswers } from '../judging/compare-answers.ts'
import { createJudgePair } from '../judging/judge-pair.ts'
import type { PairVerdict } from '../judging/pair-verdict.ts'
import { createAnswerSample } from './answer-sample.ts'
import { evaluateSample } from './evaluate-sample.ts'
import type { LeasedSample, ModelAnswer, OthersInProgress, SampleEnd } from './sample.ts'

export const judgeModel = 'sim/judge'

/** By default every model answers with its name. */
export function nameOf(model: string): string {
  return `I am ${model}.`
}

export function verdict(winner: 'first' | 'second' | 'tie'): string {
  return JSON.stringify({ explanation: 'Because.', winner })
}

/** A judge that prefers the answer of this model in either order. */
export function preferring(model: string): (body: ChatBody) => string {
  return ({ messages }) => {
    const shown = messages.at(-1)?.content ?? ''
    const [first = '', second = ''] = shown.split(/<<second \w+>>/)
    if (!shown.includes(nameOf(model))) return verdict('tie')
    return verdict(second.includes(nameOf(model)) && !first.includes(nameOf(model)) ? 'second' : 'first')
  }
}

type ScriptedAnswer = Scripted | ((body: ChatBody, calls: number) => Scripted)

/**
 * Models that answer with their names, and a judge that says `tie`. The script replaces the answers of single models. A
 * function gets the request body and the number of earlier calls of that model.
 */
export function modelsAnswering(script: Readonly<Record<string, ScriptedAnswer>> = {}): ScriptedInference {
  const times = new Map<string, number>()
  return scriptedInference({
    answer(body) {
      const { model } = body
      const calls = times.get(model) ?? 0
      times.set(model, calls + 1)
      const answer = script[model] ?? (model === judgeModel ? verdict('tie') : nameOf(model))
      return typeof answer === 'function' ? answer(body, calls) : answer
    },
  })
}

/** The dependencies that call models and the judge. */
export function modelCallsOf(inference: ScriptedInference) {
  const now = () => new Date('2026-11-21T12:00:00Z')
  return {
    answerSample: createAnswerSample({ inference, now }),
    judgePair: createJudgePair(createCompareAnswers({ inference, now, ...checksWithoutScripts })),
  }
}

export interface CapAround {
  readonly others?: () => OthersInProgress
  readonly countOverCap?: () => number
}

export interface Evaluation {
  /** Results saved so far. */
  readonly answers: readonly ModelAnswer[]
  readonly verdicts: readonly PairVerdict[]
  /** Evaluates the sample with the saved results, after this many failures. */
  attempt(failures?: number): Promise<SampleEnd>
}

const noOthers = { mayRelease: false, hasEarlier: false }

/** Evaluates a sample, repeatedly if needed, and saves its results in memory. */
export function evaluationOf(sample: LeasedSample, inference: ScriptedInference, cap: CapAround = {}): Evaluation {
  const { others = () => noOthers, countOverCap = () => 0 } = cap
  const [answers, verdicts] = [[...sample.answers], [...sample.verdicts]]
  let waitsForCap = sample.waitsForCap
  const samples = {
    saveAnswer: async (_of: unknown, answer: ModelAnswer) => void answers.push(answer),
    saveVerdict: async (_of: unknown, verdict: PairVerdict) => save(verdicts, verdict),
    othersInProgress: async () => others(),
    countOverCap: async () => countOverCap(),
    async setWaitsForCap(_of: unknown, waits: boolean) {
      waitsForCap = waits
    },
  }
  const deps = { samples, ...modelCallsOf(inference) }
  return {
    answers,
    verdicts,
    attempt: (failures = 0) =>
      evaluateSample(deps, { ...sample, waitsForCap, failures, answers: [...answers], verdicts: [...verdicts] }),
  }
}

/** As in the store: only an unfinished verdict is replaced. */
function save(verdicts: PairVerdict[], verdict: PairVerdict): void {
  const place = verdicts.findIndex(
    ({ candidateIndex, isSwapped }) => candidateIndex === verdict.candidateIndex && isSwapped === verdict.isSwapped,
  )
  if (place === -1) verdicts.push(verdict)
  else if (verdicts[place]?.failure === 'unfinished') verdicts[place] = verdict
}
