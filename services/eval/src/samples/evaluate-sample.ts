import { setTimeout as sleep } from 'node:timers/promises'
import { keepableText } from '@ratchet/judge-kit/prompt/keepable-text'
import { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { WorkPostponed } from '@ratchet/service-kit/with-lease'
import type { LookAtPair, LookOutcome, Pair } from '../judging/judge-pair.ts'
import type { AnswerSample, AskableSample } from './answer-sample.ts'
import { failedAnswer } from './answer-sample.ts'
import { outcomeOf } from './measured-sample.ts'
import { fateOfRefusal } from './outcome-of-refusal.ts'
import { pairOf } from './pair-of.ts'
import type { KeptAnswer, KeptLook, LeasedSample, SampleEnd, SampleStore } from './sample.ts'

export interface EvaluateSampleDeps {
  readonly samples: Pick<SampleStore, 'keepAnswer' | 'keepLook' | 'othersUnderWay' | 'countOverCap'>
  readonly answerSample: AnswerSample
  readonly lookAtPair: LookAtPair
}

/** Times that a model is asked before it counts as one that does not answer. */
const maxTries = 3
/** How long a sample waits for what others hold of the cap, milliseconds. */
const heldDelayMs = 500
/** And how often, and how long between, the first of them tries. */
const maxCapTries = 20
const capPauseMs = 250

/** The eval has spent what it may. */
class OverCap extends Error {
  override name = 'OverCap'
}

/**
 * Has every model answer a sample and the judge look at each pair, in both orders. What earlier attempts came to is not
 * done again, and each result is kept as it comes.
 *
 * @throws WorkPostponed, or anything else when it may succeed later
 */
export async function evaluateSample(deps: EvaluateSampleDeps, sample: LeasedSample): Promise<SampleEnd> {
  const candidates = sample.run.request.candidate_models.length
  const nothing = (failure: SampleEnd['failure']): SampleEnd => ({
    outcomes: new Array(candidates).fill('error'),
    failure,
  })
  if (!isAskable(sample)) return nothing('gone')
  try {
    const answers = await allAnswers(deps, sample)
    const looks = await allLooks(deps, sample, answers)
    const indexes = Array.from({ length: candidates }, (_, index) => index + 1)
    return { outcomes: indexes.map((index) => outcomeOf(pairOf(looks, index))), failure: null }
  } catch (error) {
    if (error instanceof OverCap) return nothing('over_cap')
    throw error
  }
}

function isAskable(sample: LeasedSample): sample is AskableSample {
  return sample.prompt !== null
}

async function allAnswers(deps: EvaluateSampleDeps, sample: AskableSample): Promise<readonly KeptAnswer[]> {
  const models = 1 + sample.run.request.candidate_models.length
  const asked = Array.from({ length: models }, (_, modelIndex) => async (): Promise<KeptAnswer> => {
    const known = sample.answers.find((answer) => answer.modelIndex === modelIndex)
    if (known !== undefined) return known
    const answer = await deps.answerSample(sample, modelIndex).catch((error) => asFailed(sample, modelIndex, error))
    await deps.samples.keepAnswer(sample, answer)
    return answer
  })
  return withinCap(deps, sample, asked)
}

/** What a refusal makes of an answer, when it is final. */
function asFailed(sample: AskableSample, modelIndex: number, error: unknown): KeptAnswer {
  if (!(error instanceof FleetCallError)) throw error
  requireFinal(sample, error)
  return failedAnswer(modelIndex, error)
}

/** Returns where a refusal is final. @throws what becomes of the sample otherwise */
function requireFinal(sample: AskableSample, refusal: FleetCallError): void {
  const fate = fateOfRefusal(refusal)
  if (fate.kind === 'wait') throw new WorkPostponed(refusal.message, fate.delayMs)
  if (fate.kind === 'over_cap') throw new OverCap(refusal.message)
  if (fate.kind === 'retry' && sample.failures + 1 < maxTries) throw refusal
}

async function allLooks(
  deps: EvaluateSampleDeps,
  sample: AskableSample,
  answers: readonly KeptAnswer[],
): Promise<readonly KeptLook[]> {
  const [baseline, ...candidates] = answers
  const looks = candidates.flatMap((candidate) =>
    [false, true].map((isSwapped) => async (): Promise<KeptLook | null> => {
      if (baseline?.message == null || candidate.message === null) return null
      const { modelIndex: candidateIndex } = candidate
      const known = sample.looks.find((look) => look.candidateIndex === candidateIndex && look.isSwapped === isSwapped)
      if (known !== undefined && known.failure !== 'unfinished') return known
      return lookOnce(deps, sample, {
        candidateIndex,
        isSwapped,
        baseline: baseline.message,
        candidate: candidate.message,
      })
    }),
  )
  const kept = await withinCap(deps, sample, looks)
  return kept.filter((look) => look !== null)
}

/** What was paid for is kept also where the judge then cannot be asked again. */
async function lookOnce({ samples, lookAtPair }: EvaluateSampleDeps, sample: AskableSample, pair: Pair) {
  const outcome = await lookAtPair(sample, pair).catch(asRefusal)
  if (outcome.kind === 'over') {
    await samples.keepLook(sample, outcome.look)
    return outcome.look
  }
  const { refusal, costNano } = outcome
  const { candidateIndex, isSwapped } = pair
  const unfinished = { candidateIndex, isSwapped, preference: null, explanation: null, costNano }
  if (costNano > 0n) await samples.keepLook(sample, { ...unfinished, failure: 'unfinished' })
  requireFinal(sample, refusal)
  const failure = fateOfRefusal(refusal).kind === 'too_large' ? ('too_large' as const) : ('refused' as const)
  const look: KeptLook = { ...unfinished, failure, explanation: keepableText(refusal.message, 1_000) }
  await samples.keepLook(sample, look)
  return look
}

/** The catalog could not be read: nobody was asked. */
function asRefusal(error: unknown): LookOutcome {
  if (error instanceof FleetCallError) return { kind: 'refused', refusal: error, costNano: 0n }
  throw error
}

/**
 * Does several things at the same time, and those for which the cap does not suffice then once more, one after the other:
 * what is held counts as spent until it is settled, by this sample or by others. Of samples that wait for each other the
 * first goes on trying, until it is alone with what is left; the others come again.
 */
async function withinCap<T>(
  { samples }: EvaluateSampleDeps,
  sample: AskableSample,
  tasks: readonly (() => Promise<T>)[],
): Promise<readonly T[]> {
  const results = new Array<T>(tasks.length)
  let left = await settle(results, tasks, [...tasks.keys()])
  for (let tries = 0; left.length > 0 && tries < maxCapTries; tries += 1) {
    if ((await samples.countOverCap(sample.run.id)) > 0) throw new OverCap('The eval has spent what it may.')
    const { hasAny, hasEarlier } = await samples.othersUnderWay(sample)
    if (hasEarlier) throw new WorkPostponed('Others hold what is left of the cap.', heldDelayMs)
    const uncovered: number[] = []
    for (const place of left) uncovered.push(...(await settle(results, tasks, [place])))
    left = uncovered
    if (left.length > 0 && !hasAny) throw new OverCap('The eval has spent what it may.')
    if (left.length > 0) await sleep(capPauseMs)
  }
  if (left.length > 0) throw new WorkPostponed('Others hold what is left of the cap.', heldDelayMs)
  return results
}

/** Does the tasks at these places. @returns the places of those that the cap does not cover */
async function settle<T>(
  results: T[],
  tasks: readonly (() => Promise<T>)[],
  places: readonly number[],
): Promise<readonly number[]> {
  const settled = await Promise.allSettled(places.map(async (place) => tasks[place]?.()))
  const failures = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
  const other = failures.find((failure) => !(failure instanceof OverCap))
  if (other !== undefined) throw other
  return places.filter((place, index) => {
    const each = settled[index]
    if (each?.status !== 'fulfilled') return true
    results[place] = each.value as T
    return false
  })
}
