import type { ExchangeKey } from '../exchanges/exchange-reads.ts'
import type { EarlierAnswer, ExchangeDigest } from './digest-exchange.ts'
import type { Conversation } from './fold-exchanges.ts'
import { distinctInSteps } from './in-steps.ts'

export interface PlannedExample {
  /** The exchange from which it is made. */
  readonly key: ExchangeKey
  readonly segment: string
  readonly foldedTurns: number
  /**
   * Indexes of messages to exclude from training: answers that were cut off, failed, have another verdict than requested,
   * or were given under other instructions.
   */
  readonly muted: readonly number[]
}

/**
 * Returns what plans the example of a conversation. Yields from time to time.
 *
 * @param digests all exchanges, those with a flaw too
 */
export function* createPlanner(
  digests: readonly ExchangeDigest[],
): Generator<void, (conversation: Conversation) => PlannedExample> {
  const badAnswers = yield* talksOf(digests, isBadAnswer)
  const sound = yield* talksOf(digests, ({ flaw }) => flaw === null)
  return ({ leaf, folded }) => {
    // The example has only the instructions of its last turn, so it does not show what an earlier answer was based on.
    const otherwise = new Set(folded.filter((each) => each.instructions !== leaf.instructions).map(({ talk }) => talk))
    const isMuted = ({ talk }: EarlierAnswer) => otherwise.has(talk) || (badAnswers.has(talk) && !sound.has(talk))
    return {
      key: leaf.key,
      segment: leaf.segment,
      foldedTurns: folded.length,
      muted: leaf.earlier.filter(isMuted).map(({ at }) => at),
    }
  }
}

const badFlaws: ReadonlySet<ExchangeDigest['flaw']> = new Set(['truncated', 'errored', 'judge_failed'])

function isBadAnswer({ flaw }: ExchangeDigest): boolean {
  return badFlaws.has(flaw)
}

function talksOf(digests: readonly ExchangeDigest[], isMeant: (digest: ExchangeDigest) => boolean) {
  return distinctInSteps(digests, (digest) => (isMeant(digest) ? [digest.talk] : []))
}
