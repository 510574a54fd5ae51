import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'
import { sendInChunks } from './capture-sink.ts'
import { capturedExchange } from './captured.fixture.ts'

const exchanges = [10_000, 10, 10, 40_000, 10].map((bytes, index) => capturedExchange(index, Buffer.alloc(bytes)))

describe('sendInChunks', () => {
  it('sends all in order, up to the maximum bytes at a time, and at least one', async () => {
    const sent: (readonly CapturedExchange[])[] = []
    const { left } = await sendInChunks(exchanges, 13_000, async (chunk) => sent.push(chunk))
    expect(left).toEqual([])
    expect(sent.map(({ length }) => length)).toEqual([2, 1, 1, 1])
    expect(sent.flat()).toEqual(exchanges)
  })

  it('returns what was not taken, from the failed chunk on', async () => {
    const failure = new Error('unavailable')
    let calls = 0
    const result = await sendInChunks(exchanges, 13_000, async () => {
      calls += 1
      if (calls === 2) throw failure
    })
    expect(result).toEqual({ left: exchanges.slice(2), cause: failure })
    expect(calls).toBe(2)
  })
})
