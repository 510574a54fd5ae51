import type { ReviewClaim, ReviewItem } from '@ratchet/contracts/review-grades'

export type Answer = 'pass' | 'fail' | 'unsure'

export interface StoredAnswer {
  readonly gradeId: string
  readonly label: Answer
}

/** Items that a person holds together, and whose verdicts are shown together. */
export interface Batch {
  readonly claimId: string
  readonly number: number
  readonly items: readonly ReviewItem[]
}

/** What a person grades from opening the page to leaving it. */
export interface Sitting {
  readonly batches: readonly Batch[]
  /** The item on screen; null when all have an answer. */
  readonly itemId: string | null
  readonly answers: Readonly<Record<string, StoredAnswer>>
  /** Items in the order of their last answers. */
  readonly history: readonly string[]
  /** The batch whose card is shown. */
  readonly cardOf: string | null
  /** Batches whose card was closed. */
  readonly closed: readonly string[]
  /** The round had nothing for the person when it was asked last. */
  readonly isEmpty: boolean
}

export const emptySitting: Sitting = {
  batches: [],
  itemId: null,
  answers: {},
  history: [],
  cardOf: null,
  closed: [],
  isEmpty: false,
}

/** Batches with items to grade that the browser holds at most: the present one and two more. */
const heldBatches = 3

/**
 * Adds what was claimed.
 *
 * @param waiting answers that wait to be sent from an earlier visit, by item
 */
export function withClaim(
  sitting: Sitting,
  claim: Pick<ReviewClaim, 'id' | 'batch' | 'items'>,
  waiting: Readonly<Record<string, StoredAnswer>> = {},
): Sitting {
  const { id, batch, items } = claim
  if (id === null || batch === null) return { ...sitting, isEmpty: true }
  if (sitting.batches.some(({ claimId }) => claimId === id)) return sitting
  const answers = Object.fromEntries(items.flatMap((item) => (waiting[item.id] ? [[item.id, waiting[item.id]]] : [])))
  const added: Sitting = {
    ...sitting,
    batches: [...sitting.batches, { claimId: id, number: batch, items }],
    answers: { ...sitting.answers, ...(answers as Record<string, StoredAnswer>) },
  }
  return added.itemId === null ? { ...added, itemId: firstOpen(added) } : added
}

/** Whether to claim another batch now. */
export function wantsBatch({ batches, answers, isEmpty }: Sitting): boolean {
  return !isEmpty && batches.filter(({ items }) => items.some(({ id }) => !answers[id])).length < heldBatches
}

/** Stores the answer to the item on screen, and moves to the next one, or to the card of a batch that is complete now. */
export function withAnswer(sitting: Sitting, answer: StoredAnswer): Sitting {
  const { itemId } = sitting
  if (itemId === null) return sitting
  const answered: Sitting = {
    ...sitting,
    answers: { ...sitting.answers, [itemId]: answer },
    history: [...sitting.history.filter((id) => id !== itemId), itemId],
  }
  const batch = batchOf(answered, itemId)
  const isComplete = batch?.items.every(({ id }) => answered.answers[id])
  const cardOf = batch && isComplete && !answered.closed.includes(batch.claimId) ? batch.claimId : null
  return { ...answered, itemId: firstOpen(answered), cardOf }
}

/**
 * Shows the item of the last answer again. An answer that was not sent yet is forgotten; one that was sent stays until another
 * one takes its place.
 */
export function withLastAgain(sitting: Sitting, isForgotten: boolean): Sitting {
  const itemId = sitting.history.at(-1)
  if (itemId === undefined) return sitting
  const { [itemId]: _forgotten, ...others } = sitting.answers
  return {
    ...sitting,
    itemId,
    cardOf: null,
    answers: isForgotten ? others : sitting.answers,
    history: sitting.history.slice(0, -1),
  }
}

/** The item before or after the one on screen, as far as the person has come. */
export function withStep(sitting: Sitting, by: -1 | 1): Sitting {
  if (sitting.cardOf !== null) return sitting
  const reached = [...sitting.history.filter((id) => id !== sitting.itemId)]
  const open = firstOpen(sitting)
  const all = itemsOf(sitting)
    .map(({ id }) => id)
    .filter((id) => reached.includes(id) || id === open || id === sitting.itemId)
  const place = sitting.itemId === null ? all.length : all.indexOf(sitting.itemId)
  return { ...sitting, itemId: all[Math.max(0, place + by)] ?? open }
}

export function withCardClosed(sitting: Sitting): Sitting {
  const { cardOf, closed } = sitting
  // Other people may have given items back meanwhile, so the round is asked again.
  return cardOf === null ? sitting : { ...sitting, cardOf: null, closed: [...closed, cardOf], isEmpty: false }
}

/** The item on screen and the one that will follow it, which is drawn in advance. */
export function shownItems(sitting: Sitting): readonly ReviewItem[] {
  const { itemId, answers } = sitting
  const all = itemsOf(sitting)
  const current = all.find(({ id }) => id === itemId)
  const next = all.find(({ id }) => id !== itemId && !answers[id])
  return [current, next].filter((item) => item !== undefined)
}

export function batchOf({ batches }: Pick<Sitting, 'batches'>, itemId: string): Batch | undefined {
  return batches.find(({ items }) => items.some(({ id }) => id === itemId))
}

/** How many answers of each kind were given in this sitting. */
export function tallyOf({ answers }: Pick<Sitting, 'answers'>): Readonly<Record<Answer, number>> {
  const labels = Object.values(answers).map(({ label }) => label)
  const number = (label: Answer) => labels.filter((each) => each === label).length
  return { pass: number('pass'), fail: number('fail'), unsure: number('unsure') }
}

/** What was graded in this sitting, the last one at the end. */
export function gradedItems(sitting: Sitting): readonly ReviewItem[] {
  const items = new Map(itemsOf(sitting).map((item) => [item.id, item]))
  return sitting.history.flatMap((id) => items.get(id) ?? [])
}

function itemsOf({ batches }: Pick<Sitting, 'batches'>): readonly ReviewItem[] {
  return batches.flatMap(({ items }) => items)
}

function firstOpen({ batches, answers }: Pick<Sitting, 'batches' | 'answers'>): string | null {
  return itemsOf({ batches }).find(({ id }) => !answers[id])?.id ?? null
}
