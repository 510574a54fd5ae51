import { setTimeout as sleep } from 'node:timers/promises'
import { outcomeOfRefusal, storableMessage } from '@ratchet/judge-kit/fleet/outcome-of-refusal'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { WorkPostponed } from '@ratchet/work-kit/leases/decide-retry'
import type { AnswerPair, JudgePair, JudgePairOutcome } from '../judging/judge-pair.ts'
import type { PairVerdict } from '../judging/pair-verdict.ts'
import { pairOutcome } from '../judging/pair-verdict.ts'
import { combinePanel, isDisputed, pairsOfJudges } from '../judging/panel-pair.ts'
import { judgeModelsOf } from '../runs/eval-run.ts'
import { type AnswerSample, failedAnswer } from './answer-sample.ts'
import type { LeasedSample, ModelAnswer, SampleEnd, SampleStore, SampleWithPrompt } from './sample.ts'

export interface EvaluateSampleDeps {
  readonly samples: Pick<
    SampleStore,
    'saveAnswer' | 'saveVerdict' | 'othersInProgress' | 'countOverCap' | 'setWaitsForCap'
  >
  readonly answerSample: AnswerSample
  readonly judgePair: JudgePair
}

/** Failed attempts after which a model or judge counts as one that does not answer. */
const maxTries = 3
/** Delay of a sample while earlier samples hold a part of the spend cap, milliseconds. */
const heldDelayMs = 500
/** Delay of a sample while inference is unavailable, milliseconds. */
const unavailableDelayMs = 2_000
/** How often the earliest sample tries again within the spend cap, and the pause between two tries. */
const maxCapTries = 20
const capPauseMs = 250

/** The spend cap of the eval does not cover a call. */
class OverCap extends Error {
  override name = 'OverCap'
}

/**
 * Gets the answer of every model and the judge's verdict on every pair, in both orders. Each result is saved as soon as
 * it is there, and results of earlier attempts are reused.
 *
 * @throws WorkPostponed, or any other error when a retry may succeed
 */
export async function evaluateSample(deps: EvaluateSampleDeps, sample: LeasedSample): Promise<SampleEnd> {
  const candidates = sample.run.request.candidate_models.length
  const failed = (failure: SampleEnd['failure']): SampleEnd => ({
    outcomes: new Array(candidates).fill('error'),
    failure,
  })
  if (!hasPrompt(sample)) return failed('gone')
  try {
    if (sample.waitsForCap) await awaitTurn(deps, sample)
    const answers = await answerAll(deps, sample)
    const verdicts = await judgeAllPairs(deps, sample, answers)
    const indexes = Array.from({ length: candidates }, (_, index) => index + 1)
    const judges = judgeModelsOf(sample.run.judge).length
    const pairs = indexes.map((candidateIndex) => pairsOfJudges(verdicts, { candidateIndex, judges }))
    const outcomes = pairs.map((own) => pairOutcome(combinePanel(own)))
    return { outcomes, failure: null, ...(pairs.some(isDisputed) ? { disputed: true } : {}) }
  } catch (error) {
    if (error instanceof OverCap) return failed('over_cap')
    throw error
  }
}

function hasPrompt(sample: LeasedSample): sample is SampleWithPrompt {
  return sample.prompt !== null
}

async function answerAll(deps: EvaluateSampleDeps, sample: SampleWithPrompt): Promise<readonly ModelAnswer[]> {
  const models = 1 + sample.run.request.candidate_models.length
  const tasks = Array.from({ length: models }, (_, modelIndex) => async (): Promise<ModelAnswer> => {
    const known = sample.answers.find((answer) => answer.modelIndex === modelIndex)
    if (known !== undefined) return known
    const answer = await deps
      .answerSample(sample, modelIndex)
      .catch((error) => answerOfRefusal(sample, modelIndex, error))
    await deps.samples.saveAnswer(sample, answer)
    return answer
  })
  return runWithinCap(deps, sample, tasks)
}

/** @throws the error, unless it is a final refusal */
function answerOfRefusal(sample: SampleWithPrompt, modelIndex: number, error: unknown): ModelAnswer {
  if (!(error instanceof FleetCallError)) throw error
  requireFinal(sample, error)
  return failedAnswer(modelIndex, error)
}

/** Returns when a refusal is final. @throws when the sample has to wait, to be retried, or to end */
function requireFinal(sample: SampleWithPrompt, refusal: FleetCallError): void {
  const outcome = outcomeOfRefusal(refusal)
  if (outcome.kind === 'wait') throw new WorkPostponed(refusal.message, outcome.delayMs)
  if (outcome.kind === 'unavailable') throw new WorkPostponed(refusal.message, unavailableDelayMs)
  if (outcome.kind === 'over_cap') throw new OverCap(refusal.message)
  if (outcome.kind === 'retry' && sample.failures + 1 < maxTries) throw refusal
}

async function judgeAllPairs(
  deps: EvaluateSampleDeps,
  sample: SampleWithPrompt,
  answers: readonly ModelAnswer[],
): Promise<readonly PairVerdict[]> {
  const [baseline, ...candidates] = answers
  const judges = judgeModelsOf(sample.run.judge).map((_, judgeIndex) => judgeIndex)
  const orders = judges.flatMap((judgeIndex) => [false, true].map((isSwapped) => ({ judgeIndex, isSwapped })))
  const tasks = candidates.flatMap((candidate) =>
    orders.map(({ judgeIndex, isSwapped }) => async (): Promise<PairVerdict | null> => {
      if (baseline?.message == null || candidate.message === null) return null
      const { modelIndex: candidateIndex } = candidate
      const known = sample.verdicts.find(
        (verdict) =>
          (verdict.judgeIndex ?? 0) === judgeIndex &&
          verdict.candidateIndex === candidateIndex &&
          verdict.isSwapped === isSwapped,
      )
      if (known !== undefined && known.failure !== 'unfinished') return known
      return judgeAndSave(deps, sample, {
        judgeIndex,
        candidateIndex,
        isSwapped,
        baseline: baseline.message,
        candidate: candidate.message,
      })
    }),
  )
  const verdicts = await runWithinCap(deps, sample, tasks)
  return verdicts.filter((verdict) => verdict !== null)
}

/** Billed costs are saved even when the judge then refuses, so that the cost of the eval matches the ledger. */
async function judgeAndSave({ samples, judgePair }: EvaluateSampleDeps, sample: SampleWithPrompt, pair: AnswerPair) {
  const outcome = await judgePair(sample, pair).catch(asRefusal)
  if (outcome.kind === 'finished') {
    await samples.saveVerdict(sample, outcome.verdict)
    return outcome.verdict
  }
  const { refusal, costNano } = outcome
  const { judgeIndex, candidateIndex, isSwapped } = pair
  const place = judgeIndex === 0 ? {} : { judgeIndex }
  const unfinished = { ...place, candidateIndex, isSwapped, preference: null, explanation: null, costNano }
  if (costNano > 0n) await samples.saveVerdict(sample, { ...unfinished, failure: 'unfinished' })
  requireFinal(sample, refusal)
  const failure = outcomeOfRefusal(refusal).kind === 'too_large' ? ('too_large' as const) : ('refused' as const)
  const verdict: PairVerdict = { ...unfinished, failure, explanation: storableMessage(refusal) }
  await samples.saveVerdict(sample, verdict)
  return verdict
}

/** Handles an error of the model catalog like a refusal. The judge was not called. */
function asRefusal(error: unknown): JudgePairOutcome {
  if (error instanceof FleetCallError) return { kind: 'refused', refusal: error, costNano: 0n }
  throw error
}

/**
 * Runs tasks concurrently, and those that the spend cap did not cover once more, one after the other. Held money counts as
 * spent until it is settled, so a call may be refused although the cap suffices in the end. Of several samples that the cap
 * does not cover, the one with the smallest id keeps trying until no other can release money; the others wait.
 */
async function runWithinCap<T>(
  { samples }: EvaluateSampleDeps,
  sample: SampleWithPrompt,
  tasks: readonly (() => Promise<T>)[],
): Promise<readonly T[]> {
  const results = new Array<T>(tasks.length)
  let left = await runAll(results, tasks, [...tasks.keys()])
  for (let tries = 0; left.length > 0 && tries < maxCapTries; tries += 1) {
    if ((await samples.countOverCap(sample.run.id)) > 0) throw new OverCap(capReached)
    const { mayRelease, hasEarlier } = await samples.othersInProgress(sample)
    if (hasEarlier) {
      await samples.setWaitsForCap(sample, true)
      throw new WorkPostponed(capHeld, heldDelayMs)
    }
    const uncovered: number[] = []
    for (const place of left) uncovered.push(...(await runAll(results, tasks, [place])))
    left = uncovered
    if (left.length > 0 && !mayRelease) throw new OverCap(capReached)
    if (left.length > 0) await sleep(capPauseMs)
  }
  if (left.length > 0) throw new WorkPostponed(capHeld, heldDelayMs)
  return results
}

/**
 * A sample that waits for the spend cap calls no model while an earlier sample is in progress. Otherwise the waiting samples
 * would hold and release money all the time, and the earliest one could never see that the cap is reached.
 */
async function awaitTurn({ samples }: EvaluateSampleDeps, sample: SampleWithPrompt): Promise<void> {
  if ((await samples.countOverCap(sample.run.id)) > 0) throw new OverCap(capReached)
  if ((await samples.othersInProgress(sample)).hasEarlier) throw new WorkPostponed(capHeld, heldDelayMs)
  await samples.setWaitsForCap(sample, false)
}

const capReached = 'The spend cap of the eval is reached.'
const capHeld = 'Other samples of the eval hold the rest of its spend cap.'

/** Runs the tasks at these places. @returns the places of those that the spend cap does not cover */
async function runAll<T>(
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
