import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { createBodyBudget } from '@ratchet/service-kit/http/body-budget'
import { createUnstoredResponses } from './unstored-responses.ts'

const response = (id: string, bytes: number) => ({ id, storedId: null, items: Buffer.alloc(bytes) })
const room = (budget = createBodyBudget(4 * mebibyte), workspaceId = 'one') =>
  createUnstoredResponses(budget, { workspaceId, maxBytes: 2 * mebibyte })

it('keeps the last response of each lane', () => {
  const unstored = room()
  unstored.keep(null, response('a', 10))
  unstored.keep('x', response('b', 10))
  unstored.keep(null, response('c', 10))
  expect(['a', 'b', 'c'].map((id) => unstored.find(id)?.id)).toEqual([undefined, 'b', 'c'])
  unstored.forget('b')
  expect(unstored.find('b')).toBeNull()
})

it('keeps those of 33 lanes, and gives up that which ended first', () => {
  const unstored = room()
  for (let lane = 0; lane < 33; lane += 1) unstored.keep(`lane ${lane}`, response(`r${lane}`, 1))
  unstored.keep('lane 0', response('again', 1))
  unstored.keep('another', response('new', 1))
  expect(['again', 'r1', 'r2', 'new'].map((id) => unstored.find(id)?.id)).toEqual(['again', undefined, 'r2', 'new'])
})

it('keeps none that is larger than a request may be', () => {
  const unstored = room()
  unstored.keep(null, response('a', 2 * mebibyte + 1))
  expect(unstored.find('a')).toBeNull()
})

it('gives a workspace a share of the memory of all, and takes it back', () => {
  const budget = createBodyBudget(4 * mebibyte)
  const [one, same, other] = [room(budget), room(budget), room(budget, 'two')]
  one.keep(null, response('a', mebibyte))
  same.keep(null, response('b', mebibyte / 2))
  other.keep(null, response('c', mebibyte))
  expect([one.find('a')?.id, same.find('b'), other.find('c')?.id]).toEqual(['a', null, 'c'])
  one.clear()
  same.keep(null, response('b', mebibyte / 2))
  expect(same.find('b')?.id).toBe('b')
})
