import {
  emptySitting,
  type Sitting,
  shownItems,
  tallyOf,
  wantsBatch,
  withAnswer,
  withCardClosed,
  withClaim,
  withLastAgain,
  withStep,
} from './sitting.ts'

const item = (id: string) => ({ id, messages: [], response: { role: 'assistant' }, tools: null })
const claim = (id: string, ...items: string[]) => ({ id, batch: Number(id.slice(1)), items: items.map(item) })
const begun = withClaim(withClaim(emptySitting, claim('c1', 'a', 'b')), claim('c2', 'c', 'd'))
const graded = (sitting: Sitting, ...labels: ('pass' | 'fail')[]) =>
  labels.reduce((each, label, index) => withAnswer(each, { gradeId: `g${index}`, label }), sitting)

it('shows the first item, with the next one drawn in advance', () => {
  expect(begun.itemId).toBe('a')
  expect(shownItems(begun).map(({ id }) => id)).toEqual(['a', 'b'])
  expect(shownItems(graded(begun, 'pass')).map(({ id }) => id)).toEqual(['b', 'c'])
})

it('shows the card of a batch when all of it has an answer, and no second time', () => {
  const complete = graded(begun, 'pass', 'fail')
  expect([complete.cardOf, complete.itemId]).toEqual(['c1', 'c'])
  const changed = withAnswer(withStep(withCardClosed(complete), -1), { gradeId: 'g9', label: 'pass' })
  expect([changed.cardOf, changed.itemId, tallyOf(changed).pass]).toEqual([null, 'c', 2])
})

it('takes back an answer that was not sent, and shows one that was sent again', () => {
  const one = graded(begun, 'pass')
  expect(withLastAgain(one, true)).toMatchObject({ itemId: 'a', answers: {} })
  expect(withLastAgain(one, false)).toMatchObject({ itemId: 'a', answers: { a: { label: 'pass' } } })
  expect(withLastAgain(graded(begun, 'pass', 'pass'), true)).toMatchObject({ itemId: 'b', cardOf: null })
})

it('steps through what was reached, and not beyond', () => {
  const one = graded(begun, 'pass')
  const back = withStep(one, -1)
  expect([back.itemId, withStep(back, -1).itemId, withStep(back, 1).itemId]).toEqual(['a', 'a', 'b'])
  expect(withStep(one, 1).itemId).toBe('b')
})

it('holds the present batch and two more', () => {
  const third = withClaim(begun, claim('c3', 'e'))
  expect([wantsBatch(begun), wantsBatch(third)]).toEqual([true, false])
  expect(wantsBatch(graded(third, 'pass', 'pass'))).toBe(true)
  const empty = withClaim(begun, { id: null, batch: null, items: [] })
  expect(wantsBatch(empty)).toBe(false)
  expect(wantsBatch(withCardClosed(graded(empty, 'pass', 'pass')))).toBe(true)
})

it('knows the answers of an earlier visit that wait to be sent', () => {
  const again = withClaim(emptySitting, claim('c1', 'a', 'b'), { a: { gradeId: 'g1', label: 'fail' } })
  expect([again.itemId, tallyOf(again).fail]).toEqual(['b', 1])
})
