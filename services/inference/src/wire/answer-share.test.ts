import { kibibyte, mebibyte } from '@ratchet/contracts/byte-sizes'
import { createBodyBudget } from '@ratchet/service-kit/http/body-budget'
import { AnswerShare } from '@ratchet/service-kit/sse/answer-share'
import { createSseReader } from '@ratchet/service-kit/sse/read-events'
import { RecordRoom } from './record-room.ts'

/** 64 MB, a quarter of which is the share of a workspace. */
function shares() {
  const budget = createBodyBudget(64 * mebibyte)
  let held = 0
  const of = (workspaceId: string) => {
    const body = budget.enter(workspaceId)
    return (bytes: number) => {
      const fits = body.mayAdd(bytes)
      if (fits) held += bytes
      return fits
    }
  }
  return { of, held: () => held }
}

it('reserves in steps, nothing for a small answer, and stays refused', () => {
  const asked: number[] = []
  const share = new AnswerShare((bytes) => {
    asked.push(bytes)
    return asked.length < 3
  })
  const sizes = [256, 257, 300, 512, 2_000, 2_100, 300].map((size) => share.mayHold(size * kibibyte))
  expect(sizes).toEqual([true, true, true, true, true, false, true])
  expect(asked).toEqual([256 * kibibyte, 1_536 * kibibyte, 256 * kibibyte])
  expect(share.isRefused).toBe(true)
})

it('records of one workspace hold its share, and those of another one are still stored', () => {
  const { of, held } = shares()
  const fill = (workspaceId: string) => {
    const room = new RecordRoom(of(workspaceId))
    for (let piece = 0; piece < 20 && !room.isFull; piece++) room.take('x'.repeat(mebibyte))
    return room.isFull
  }
  const hostile = Array.from({ length: 60 }, () => fill('hostile'))
  expect(hostile.filter((isFull) => isFull).length).toBeGreaterThanOrEqual(58)
  expect(held()).toBeLessThanOrEqual(20.5 * mebibyte)
  expect(fill('other')).toBe(false)
})

it('unfinished frames of one workspace hold its share', () => {
  const { of, held } = shares()
  const readers = Array.from({ length: 60 }, () =>
    createSseReader({ maxEventBytes: 16 * mebibyte, reserve: of('one') }),
  )
  const isOversized = readers.map((reader) => {
    const events = Array.from({ length: 8 }, () => reader.push(Buffer.alloc(mebibyte, 'x'))).flat()
    return events.some(({ oversized }) => oversized)
  })
  expect(isOversized.filter((is) => is).length).toBeGreaterThanOrEqual(57)
  expect(held()).toBeLessThanOrEqual(16 * mebibyte)
})
